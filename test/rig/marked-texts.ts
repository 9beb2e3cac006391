import { registerHooks } from 'node:module';
import { type Html, html } from '../../src/base/html.ts';

/** The catalogue of texts in a language of its own: every text stands between marks. */
export function marked<T>(value: T): T {
  if (typeof value === 'string') return mark(value) as T;
  if (typeof value === 'function') return ((...given: unknown[]) => marked(value(...given))) as T;
  if (Array.isArray(value)) return value.map((each) => marked(each)) as T;
  if (isHtml(value)) return html`⟦${value}⟧` as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, marked(each)])) as T;
}

const mark = (text: string): string => (text === '' ? '' : `⟦${text}⟧`);

const isHtml = (value: unknown): value is Html =>
  typeof value === 'object' && value !== null && 'render' in value && typeof value.render === 'function';

/** The words of a page that stand outside all marks, a piece of text or an attribute each. */
export function unmarkedWords(page: string): string[] {
  const [, body = ''] = /<body[^>]*>(.*)<\/body>/s.exec(page) ?? [];
  const shown = body
    .replaceAll(/<(script|style|pre|code|datalist|title|desc)\b.*?<\/\1>/gs, '')
    // Descriptions of the API.
    .replaceAll(/<span lang="en">.*?<\/span>/gs, '')
    .replaceAll(/\sdata-[\w-]+="[^"]*"/g, '');
  const said = [...shown.matchAll(/\s(?:aria-label|placeholder|alt|title)="([^"]*)"/g)].map(([, text]) => text!);
  const pieces = [...shown.split(/<[^>]*>/), ...said].map((text) => text.trim());
  // Marks can stand around elements: a piece then has one of the two.
  let depth = 0;
  const outside: string[] = [];
  for (const piece of pieces) {
    let text = '';
    for (const character of piece) {
      if (character === '⟦') depth += 1;
      else if (character === '⟧') depth -= 1;
      else if (depth === 0) text += character;
    }
    if (/\p{L}{2}/u.test(text)) outside.push(text.trim());
  }
  return [...new Set(outside)];
}

/** Makes all modules that are imported from now on use the marked catalogue. */
export function markTexts(): void {
  const marks = new URL('marked-catalogue.ts', import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const isCatalogue = found.url.endsWith('/src/texts/texts.ts') && context.parentURL !== marks;
      return isCatalogue ? { ...found, url: marks } : found;
    },
  });
}
