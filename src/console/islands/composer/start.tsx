import { render } from 'preact';
import { Composer, type ComposerInput } from './composer.tsx';

for (const place of document.querySelectorAll<HTMLElement>('[data-island="composer"]')) {
  const input: ComposerInput = JSON.parse(place.dataset.input!);
  place.replaceChildren();
  const text = document.querySelector<HTMLTextAreaElement>(`#${input.textField}`)!;
  const box = (id: string): HTMLInputElement => document.querySelector<HTMLInputElement>(`#${id}`)!;
  const fields = { text, headline: box(input.headlineField), url: box(input.urlField) };
  render(<Composer {...input} {...fields} choices={input.choiceFields.map(box)} />, place);
}
