/** The kind of an entity in a text. */
type EntityKind = 'url' | 'hashtag' | 'mention' | 'symbol';

/** An entity in a text, from code point `start` (inclusive) to `end` (exclusive). */
export interface Entity {
  readonly kind: EntityKind;
  /** A URL as written; of other kinds the text after their sign. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Maximum length of a URL; a longer one is plain text. */
const URL_MAX = 4000;

const ADDRESS = /(?<![\p{L}\p{N}_@#$/])https?:\/\/[^\s<>"\u201c\u201d\u00ab\u00bb]+/giu;
const TAG = /(?<![\p{L}\p{M}\p{N}_&/])[#\uff03]([\p{L}\p{M}\p{N}_]+)/gu;
const MENTION = /(?<![\w!#$%&*@\uff20/.+-])[@\uff20](\w{1,15})(?![\w@\uff20\u00c0-\u024f]|:\/\/)/gu;
const SYMBOL = /(?<![\p{L}\p{N}_$&/])\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)(?![\p{L}\p{N}_$])/gu;

interface Found extends Omit<Entity, 'start' | 'end'> {
  /** Offsets in UTF-16 units, as regular expressions count. */
  readonly from: number;
  readonly to: number;
}

/** The URLs, hashtags, mentions and symbols of a text, in order. None lies within a URL. @source creatives 13 */
export function entitiesOf(text: string): Entity[] {
  const addresses = addressesOf(text);
  const inAddress = (from: number): boolean => addresses.some((each) => from >= each.from && from < each.to);
  const marked = [
    ...marksOf(text, 'hashtag', TAG).filter((tag) => /\p{L}/u.test(tag.text)),
    ...marksOf(text, 'mention', MENTION),
    ...marksOf(text, 'symbol', SYMBOL),
  ].filter(({ from }) => !inAddress(from));
  const found = [...addresses, ...marked].sort((a, b) => a.from - b.from);
  return found.map(({ from, to, ...entity }) => ({ ...entity, start: pointsIn(text, from), end: pointsIn(text, to) }));
}

/** The URLs of a text. */
export function addressesIn(text: string): string[] {
  return addressesOf(text).map((found) => found.text);
}

function addressesOf(text: string): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(ADDRESS)) {
    const said = withoutTail(match[0]);
    if (said.length > URL_MAX || !isAddress(said)) continue;
    found.push({ kind: 'url', text: said, from: match.index, to: match.index + said.length });
  }
  return found;
}

/** Strips punctuation from the end of a URL, and a closing bracket that was opened before it. */
function withoutTail(said: string): string {
  let end = said.length;
  for (;;) {
    const last = said[end - 1]!;
    const isBracket = last === ')' && count(said.slice(0, end), '(') < count(said.slice(0, end), ')');
    if (!isBracket && !".,:;!?'\u2019\u2026]}".includes(last)) return said.slice(0, end);
    end -= 1;
  }
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}

function isAddress(said: string): boolean {
  return URL.canParse(said) && /\.(?:[a-z]{2,63}|xn--[a-z0-9-]+)\.?$/i.test(new URL(said).hostname);
}

function marksOf(text: string, kind: EntityKind, expression: RegExp): Found[] {
  return [...text.matchAll(expression)].map((match) => {
    return { kind, text: match[1]!, from: match.index, to: match.index + match[0].length };
  });
}

/** Converts an offset in UTF-16 units to code points. */
function pointsIn(text: string, units: number): number {
  let points = 0;
  for (let at = 0; at < units; points += 1) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return points;
}
