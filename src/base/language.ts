/** The languages of pages, by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
/** A language of pages. */
export type Language = keyof typeof LANGUAGES;

/** Whether pages exist in a language. */
export const isLanguage = (text: string | null | undefined): text is Language =>
  text != null && Object.hasOwn(LANGUAGES, text);

let find: () => string | undefined = () => undefined;

/** Sets how the language of the current page is found: on servers by the request, in browsers by the document. */
export function findLanguageBy(how: typeof find): void {
  find = how;
}

/** The language of the current page; English outside of pages. */
export function language(): Language {
  const found = find();
  return isLanguage(found) ? found : 'en';
}

/** The locale of dates on the current page. */
export const dateLocale = (): string => (language() === 'en' ? 'en-GB' : language());

/** A number as the current page writes it. */
export const numberText = (number: number): string => number.toLocaleString(language());

/** A share as a percentage, such as `2.50%` for 0.025 with two digits. */
export const percentText = (share: number, digits: number): string =>
  share.toLocaleString(language(), {
    ...{ style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits },
  });
