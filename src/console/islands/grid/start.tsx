import { render } from 'preact';
import { Grid } from './grid.tsx';
import { type GridInput, openRows } from './rows.ts';

for (const place of document.querySelectorAll<HTMLElement>('[data-island="grid"]')) {
  const input: GridInput = JSON.parse(place.dataset.input!);
  place.replaceChildren();
  render(<Grid input={input} rows={openRows(input)} />, place);
}
