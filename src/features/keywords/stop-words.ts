import { createRequire } from 'node:module';
import { foldText } from '../../base/tokens.ts';

/** The languages whose stop words are excluded for posts of an unknown language. */
const WIDESPREAD = ['en', 'es', 'pt', 'fr', 'de', 'it', 'nl', 'tr', 'id'];

const folded = new Map<string, ReadonlySet<string>>();

/**
 * The stop words of a language, folded like tokens; those of several languages when it is unknown.
 * @source decision 313
 */
export function stopWords(language: string | undefined): readonly ReadonlySet<string>[] {
  if (language === undefined) return WIDESPREAD.flatMap((each) => stopWords(each));
  let known = folded.get(language);
  if (!known) {
    // Loaded on demand, in the thread that needs them.
    const lists: Record<string, string[]> = createRequire(import.meta.url)('stopwords-iso');
    known = new Set((lists[language] ?? []).map(foldText));
    folded.set(language, known);
  }
  return [known];
}
