import { readFileSync } from 'node:fs';
import { type Html, isHtml } from '../base/html.ts';
import { type Language, language } from '../base/language.ts';
import { fillIn, fillInHtml } from '../base/messages.ts';

/** An entry of a file of translations. */
export interface Entry {
  /** The place of the text in the catalogue, such as `campaigns.title`. */
  readonly context: string;
  /** The English text that was translated. */
  readonly source: string;
  /** '' until it is translated. */
  readonly target: string;
  /** Whether the English text has changed since. */
  readonly isFuzzy: boolean;
}

/** Reads a file of translations in the PO format of gettext. */
export function parsePo(file: string): Entry[] {
  return file.split(/\n{2,}/).flatMap((block) => {
    const member = (name: string): string => {
      const [, quoted = ''] = new RegExp(`^${name}((?:\\s*"(?:[^"\\\\]|\\\\.)*")+)`, 'm').exec(block) ?? [];
      return [...quoted.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([each]) => JSON.parse(each)).join('');
    };
    const context = member('msgctxt');
    if (context === '') return [];
    return [{ context, source: member('msgid'), target: member('msgstr'), isFuzzy: /^#,.*\bfuzzy\b/m.test(block) }];
  });
}

/** A text of a page, or a function that makes one of values. */
export type Text = string | Html | ((...given: never[]) => string | Html);
/** Several texts that belong together. */
type Texts = readonly string[];

/** Whether a member of the catalogue is a text, not a group of texts. */
export const isText = (value: unknown): value is Text | Texts =>
  typeof value !== 'object' || Array.isArray(value) || isHtml(value);

/** The catalogue of texts, whose members are in the language of the page that reads them. */
export function inPageLanguage<T extends object>(english: T, path = ''): T {
  const members = Object.entries(english).map(([key, value]: [string, unknown]) => {
    const place = path + key;
    if (!isText(value)) return [key, { enumerable: true, value: inPageLanguage(value as object, `${place}.`) }];
    const known: Partial<Record<Language, Text | Texts>> = { en: value };
    const get = (): Text | Texts => {
      const spoken = language();
      known[spoken] ??= translated(value, place, translationsInto(spoken));
      return known[spoken];
    };
    return [key, { enumerable: true, get }];
  });
  return Object.defineProperties({}, Object.fromEntries(members)) as T;
}

function translated(text: Text | Texts, place: string, into: ReadonlyMap<string, string>): Text | Texts {
  if (isList(text)) return text.map((each, at) => into.get(`${place}.${at}`) || each);
  const target = into.get(place);
  if (!target) return text;
  if (typeof text === 'string') return target;
  if (typeof text !== 'function') return fillInHtml(target, {});
  return (...given) => (isHtml(text(...given)) ? fillInHtml : fillIn)(target, Object.fromEntries(given.entries()));
}

/** Whether a member of the catalogue has several texts. */
export const isList = (text: Text | Texts): text is Texts => Array.isArray(text);

const read = new Map<Language, ReadonlyMap<string, string>>();

function translationsInto(spoken: Language): ReadonlyMap<string, string> {
  let found = read.get(spoken);
  if (!found) {
    const entries = parsePo(readFileSync(new URL(`./${spoken}.po`, import.meta.url), 'utf8'));
    found = new Map(entries.map(({ context, target }) => [context, target]));
    read.set(spoken, found);
  }
  return found;
}
