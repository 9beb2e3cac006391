import MiniSearch from 'minisearch';
import type { SearchRecord } from '../page.ts';

/** What was found, with a piece of its text. */
export interface Found extends Pick<SearchRecord, 'at' | 'page' | 'title'> {
  /** Text around the first word that was found; words that were found are at odd places. */
  readonly excerpt: readonly string[];
}

const EXCERPT_MAX = 180;

/** Names are found as a whole and by their parts: `bid_amount_local_micro` by `bid`. */
const wordsOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}_.]+/u).map((word) => word.replace(/^\.+|\.+$/g, ''));
const withParts = (text: string): string[] =>
  wordsOf(text)
    .flatMap((word) => (/[_.]/.test(word) ? [word, ...word.split(/[_.]/)] : [word]))
    .filter(Boolean);

/** Searches in records. @source decision 1232 */
export function searchIn(records: readonly SearchRecord[]): (text: string) => Found[] {
  const index = new MiniSearch<SearchRecord>({
    fields: ['title', 'page', 'names', 'text'],
    idField: 'at',
    tokenize: withParts,
    searchOptions: {
      tokenize: (text) => wordsOf(text).filter(Boolean),
      boost: { title: 4, page: 2, names: 3 },
      prefix: (term) => term.length > 1,
      // What users read comes before the reasons behind it.
      boostDocument: (at) => (/^(?:decisions|protocol|benchmark|changes|contributing)/.test(at) ? 0.4 : 1),
    },
  });
  index.addAll(records);
  const recordAt = new Map(records.map((record) => [record.at, record]));
  return (text) => {
    const all = index.search(text, { combineWith: 'AND' });
    return (all.length > 0 ? all : index.search(text, { fuzzy: 0.2 })).map(({ id, terms }) => {
      const { at, page, title, names, text: whole } = recordAt.get(id)!;
      const [inText, inNames] = [excerptOf(whole, terms), excerptOf(names, terms)];
      return { at, page, title, excerpt: title === '' && inText.length === 1 && inNames.length > 1 ? inNames : inText };
    });
  };
}

function excerptOf(text: string, terms: readonly string[]): string[] {
  const found = new RegExp(`(${terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'iu');
  const first = text.search(found);
  const from = first < EXCERPT_MAX / 3 ? 0 : text.indexOf(' ', first - EXCERPT_MAX / 3) + 1;
  const piece = text.slice(from, from + EXCERPT_MAX);
  return `${from > 0 ? '… ' : ''}${piece}${from + EXCERPT_MAX < text.length ? ' …' : ''}`.split(
    new RegExp(found, 'giu'),
  );
}
