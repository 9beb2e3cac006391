import { html } from 'ghtml';

/** How many colours the style knows. */
const HUES = 6;

/** A sign by which an application is told from others: its first letter, in a colour that its name chooses. */
export function monogram(name: string): string {
  const letter = [...name.trim()][0] ?? '?';
  const hue = [...name].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 9973, 0) % HUES;
  return html`<span class="monogram hue-${hue}" aria-hidden="true">${letter.toUpperCase()}</span>`;
}
