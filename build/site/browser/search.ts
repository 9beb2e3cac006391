import MiniSearch from 'minisearch';
import { parameterId, type SearchRecord } from '../page.ts';

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

/** What users read comes before what they set, and before the reasons behind it. */
const WEIGHTS: readonly (readonly [pages: RegExp, weight: number])[] = [
  [/^(?:decisions|benchmark|changes|contributing|security)/, 0.1],
  [/^(?:protocol|settings)/, 0.4],
];

const weightOf = (at: string): number => WEIGHTS.find(([pages]) => pages.test(at))?.[1] ?? 1;

/** The start of a page has its title. */
const titleOf = ({ title, page }: SearchRecord): string => title || page;
/** A text without what makes no difference to a title. */
const alike = (text: string): string =>
  askedIn(text.toLowerCase())
    .map((word) => word.replace(/s$/, ''))
    .join(' ');

/** Words of questions that say nothing about their subject. */
const EMPTY = new Set(
  'a an are can do does for how i in is it my not of on the to what when where which why with'.split(' '),
);

function askedIn(text: string): string[] {
  const all = wordsOf(text.replace(/\b(?:log|sign)(?:ging|ning)?[ -]?in\b/gi, 'login')).filter(Boolean);
  const telling = all.filter((word) => !EMPTY.has(word.toLowerCase()));
  return telling.length > 0 ? telling : all;
}

/** Searches in records. @source decision 1232 */
export function searchIn(records: readonly SearchRecord[]): (text: string) => Found[] {
  const recordAt = new Map(records.map((record) => [record.at, record]));
  const index = new MiniSearch<SearchRecord>({
    fields: ['title', 'page', 'names', 'text'],
    idField: 'at',
    tokenize: withParts,
    extractField: (record, field) => {
      const all = record.parameters ?? [];
      if (field === 'names') return [record.names, ...all.map(([name]) => name)].join(' ');
      if (field === 'text') return [record.text, ...all.map(([, about]) => about)].join(' ');
      if (field === 'title') return titleOf(record);
      return record[field as 'at' | 'page'];
    },
    searchOptions: {
      tokenize: askedIn,
      boost: { title: 4, page: 2, names: 3 },
      prefix: (term) => term.length > 1,
      boostDocument: weightOf,
    },
  });
  index.addAll(records);
  return (text) => {
    const all = index.search(text, { combineWith: 'AND' });
    const near = all.length > 0 ? all : index.search(text, { fuzzy: 0.2 });
    // A word that is nowhere may be that of another interface.
    const isName = /^[\w.-]+$/.test(text.trim());
    const found =
      near.length === 0 && isName ? index.search('aliases', { filter: ({ id }) => id === 'aliases' }) : near;
    // A part whose title is the text stands before all others.
    const isExact = ({ id }: { id: string }): boolean =>
      weightOf(id) > 0.1 && alike(titleOf(recordAt.get(id)!)) === alike(text);
    return found
      .sort((one, other) => Number(isExact(other)) - Number(isExact(one)))
      .map(({ id, terms, queryTerms }) => {
        const { at, page, title, names, text: whole, parameters = [] } = recordAt.get(id)!;
        const parameter = parameters.find(([name]) => queryTerms.includes(name));
        if (parameter) {
          const [name, about] = parameter;
          return { at: `${at}#${parameterId(name)}`, page, title: name, excerpt: excerptOf(about, terms) };
        }
        const [inText, inNames] = [excerptOf(whole, terms), excerptOf(names, terms)];
        return {
          at,
          page,
          title,
          excerpt: title === '' && inText.length === 1 && inNames.length > 1 ? inNames : inText,
        };
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
