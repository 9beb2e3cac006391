import { render } from 'preact';
import { Composer, type ComposerInput } from './composer.tsx';

for (const place of document.querySelectorAll<HTMLElement>('[data-island="composer"]')) {
  const input: ComposerInput = JSON.parse(place.dataset.input!);
  place.replaceChildren();
  const text = document.querySelector<HTMLTextAreaElement>(`#${input.textField}`)!;
  render(<Composer {...input} text={text} />, place);
}
