import { createRequire } from 'node:module';
import { foldText } from '../../base/tokens.ts';

/** What is left out of related terms where posts are of a language that is not known. */
const WIDESPREAD = ['en', 'es', 'pt', 'fr', 'de', 'it', 'nl', 'tr', 'id'];

let lists: Readonly<Record<string, readonly string[]>> | undefined;
const folded = new Map<string, ReadonlySet<string>>();

/** The words of a language that say nothing by themselves, folded as tokens are; those of several for an unknown one. */
export function stopWords(language: string | undefined): readonly ReadonlySet<string>[] {
  if (language === undefined) return WIDESPREAD.flatMap((each) => stopWords(each));
  // Read when they are needed, and by the thread that needs them.
  lists ??= createRequire(import.meta.url)('stopwords-iso') as typeof lists;
  let known = folded.get(language);
  if (!known) {
    known = new Set((lists![language] ?? []).map(foldText));
    folded.set(language, known);
  }
  return [known];
}
