import { render } from 'preact';
import { Composer, type ComposerInput } from './composer.tsx';

for (const place of document.querySelectorAll<HTMLElement>('[data-island="composer"]')) {
  const input: ComposerInput = JSON.parse(place.dataset.input!);
  place.replaceChildren();
  const text = document.querySelector<HTMLTextAreaElement>(`#${input.textField}`)!;
  const [headline, url] = [input.headlineField, input.urlField].map(
    (id) => document.querySelector<HTMLInputElement>(`#${id}`)!,
  );
  render(<Composer {...input} {...{ text, headline: headline!, url: url! }} />, place);
}
