import { type Html, isHtml } from '../../src/base/html.ts';
import { english } from '../../src/texts/texts.ts';
import { type Entry, isList, isText, parsePo, type Text } from '../../src/texts/translations.ts';

/** The English texts of pages by their places, as translators see them: `{0}` stands for the first value of a function. */
export function sourceTexts(): ReadonlyMap<string, string> {
  return new Map(textsIn(english, ''));
}

function textsIn(group: object, path: string): [place: string, text: string][] {
  return Object.entries(group).flatMap(([key, value]: [string, unknown]) => {
    const place = path + key;
    if (!isText(value)) return textsIn(value as object, `${place}.`);
    return isList(value)
      ? value.flatMap((text, at) => (text === '' ? [] : [[`${place}.${at}`, text] as [string, string]]))
      : [[place, sourceOf(value)]];
  });
}

function sourceOf(text: Text): string {
  const made: string | Html =
    typeof text === 'function' ? text(...Array.from({ length: text.length }, (_, at) => `{${at}}` as never)) : text;
  return isHtml(made) ? made.render() : made;
}

/** A file of translations with the texts of today: new ones are empty, changed ones fuzzy, and others are gone. */
export function updatedPo(file: string): string {
  const [head] = file.split('\n\n', 1);
  const known = new Map(parsePo(file).map((entry) => [entry.context, entry]));
  const blocks = [...sourceTexts()].map(([context, source]) => {
    const { target = '', source: before = source, isFuzzy = false }: Partial<Entry> = known.get(context) ?? {};
    const isChanged = target !== '' && (isFuzzy || before !== source);
    return `${isChanged ? '#, fuzzy\n' : ''}msgctxt ${JSON.stringify(context)}\nmsgid ${JSON.stringify(source)}\nmsgstr ${JSON.stringify(target)}\n`;
  });
  return [`${head}\n`, ...blocks].join('\n');
}
