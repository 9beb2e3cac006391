import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { findLanguageBy, isLanguage, LANGUAGES, type Language } from '../../base/language.ts';
import { texts } from '../../texts/texts.ts';
import { LANGUAGE_COOKIE, readCookie, setCookieHeader } from './cookies.ts';

/** The language of a page, and its URL with the parameters that it has read, if it can be shown in another one. */
interface Speech {
  language: Language;
  readonly url: string | undefined;
  readonly read: Set<string>;
}

const speech = new AsyncLocalStorage<Speech>();
findLanguageBy(() => speech.getStore()?.language);

/** The parameter of links that choose a language, and the field with the language of a form. */
export const LANGUAGE_PARAMETER = 'page_language';

/**
 * Makes a page in the language of its visitor: the one that they chose, else the first of their browser that pages exist in,
 * else that of the service.
 * @source decision 1268
 */
export function inLanguageOf<T>(request: IncomingMessage, usual: Language, work: () => T): T {
  const chosen = [true, false].map((isSecure) => readCookie(request, LANGUAGE_COOKIE, isSecure)).find(isLanguage);
  const language = chosen ?? acceptedLanguage(request.headers['accept-language']) ?? usual;
  const url = request.method === 'POST' ? undefined : request.url;
  return speech.run({ language, url, read: new Set() }, work);
}

/** Goes on in the language of a form that was sent, in which its amounts are written. @source decision 1269 */
export function continueIn(language: string | null): void {
  const store = speech.getStore();
  if (store && isLanguage(language)) store.language = language;
}

/** The first language of an Accept-Language header that pages exist in. */
export function acceptedLanguage(header = ''): Language | undefined {
  const ranges = header.split(',').map((range) => {
    const [tag = '', q = '1'] = range.trim().split(/\s*;\s*q=/i);
    return { language: tag.split('-', 1)[0]!.toLowerCase(), weight: Number(q) };
  });
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map((range) => range.language)
    .find(isLanguage);
}

/** Notes that the page reads a parameter, which its links to other languages then have. */
export function noteParameter(name: string): void {
  speech.getStore()?.read.add(name);
}

/** The links to the current page in other languages. They repeat no parameter that the page does not read, and no address of another site. */
export function languageLinks(): Html {
  const { language, url, read } = speech.getStore() ?? {};
  if (url === undefined) return noHtml;
  const links = Object.entries(LANGUAGES).map(([code, name]) =>
    code === language
      ? html`<span aria-current="true">${name}</span>`
      : html`<a href="${urlIn(url, (name, value) => read?.has(name) === true && !value.includes('//'), code)}" lang="${code}" hreflang="${code}" rel="nofollow">${name}</a>`,
  );
  return html`<footer><nav aria-label="${texts.site.languages}">${joinHtml(links, '\n')}</nav></footer>
`;
}

/** The reply to a link of `languageLinks`: the cookie, and the page itself. */
export function languageChoice(
  request: IncomingMessage,
  isSecure: boolean,
): { readonly cookie: string; readonly location: string } | undefined {
  const url = request.url!;
  const chosen = new URLSearchParams(url.split('?')[1]).get(LANGUAGE_PARAMETER);
  if (request.method === 'POST' || !isLanguage(chosen)) return undefined;
  return {
    cookie: setCookieHeader(LANGUAGE_COOKIE, chosen, isSecure),
    location: urlIn(url, (name) => name !== LANGUAGE_PARAMETER),
  };
}

function urlIn(url: string, isKept: (name: string, value: string) => boolean, language?: string): string {
  const [path = '', query] = url.split('?');
  const parameters = new URLSearchParams(
    [...new URLSearchParams(query)].filter(([name, value]) => isKept(name, value)),
  );
  if (language) parameters.set(LANGUAGE_PARAMETER, language);
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
