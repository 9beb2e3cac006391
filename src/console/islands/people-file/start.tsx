import { render } from 'preact';
import { PeopleFile, type PeopleFileInput } from './people-file.tsx';

for (const place of document.querySelectorAll<HTMLElement>('[data-island="people-file"]')) {
  const input: PeopleFileInput = JSON.parse(place.dataset.input!);
  place.replaceChildren();
  render(<PeopleFile {...input} />, place);
}
