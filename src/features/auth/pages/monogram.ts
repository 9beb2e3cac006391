import { type Html, html } from '../../../base/html.ts';

/** The number of colours in the stylesheet. */
const HUES = 6;

/** The icon of an application: its first letter, in a colour derived from its name. @source decision 96 */
export function monogram(name: string): Html {
  const letter = [...name.trim()][0] ?? '?';
  const hue = [...name].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 9973, 0) % HUES;
  return html`<span class="monogram hue-${hue}" aria-hidden="true">${letter.toUpperCase()}</span>`;
}
