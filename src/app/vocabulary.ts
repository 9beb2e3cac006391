import { readFileSync } from 'node:fs';
import { InputErrors } from '../base/input-error.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { type AliasFile, parseAliasFile } from '../http/vocabulary/alias-file.ts';
import type { Vocabulary } from '../http/vocabulary/vocabulary.ts';
import { flagOf, SettingsError } from '../settings/load.ts';
import type { Settings } from '../settings.ts';

/** Reads the alias file of the settings; undefined if there is none. @throws SettingsError */
export function readAliasFile({ aliases }: Pick<Settings, 'aliases'>): AliasFile | undefined {
  return aliases === '' ? undefined : naming(aliases, () => parseAliasFile(contentsOf(aliases)));
}

/** Loads the vocabulary of the alias file; undefined if there is none. @throws SettingsError */
export async function openVocabulary(
  settings: Pick<Settings, 'aliases'>,
  operations: readonly Operation[],
): Promise<Vocabulary | undefined> {
  const file = readAliasFile(settings);
  if (!file) return undefined;
  // Loaded only with an alias file, so that other starts are faster.
  const { createVocabulary: vocabularyOf } = await import('../http/vocabulary/vocabulary.ts');
  return naming(settings.aliases, () => vocabularyOf(file, operations));
}

/** Generates an alias file with every native name, as a starting point. */
export async function aliasTemplateText(): Promise<string> {
  const { aliasTemplate } = await import('../http/vocabulary/template.ts');
  const { operations } = await import('./dependencies.ts');
  return aliasTemplate(operations);
}

function contentsOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new SettingsError([`${flagOf('aliases')} (${path}): cannot be read`]);
  }
}

/** Adds the flag and the path to errors in the file. */
function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InputErrors)) throw error;
    throw new SettingsError(error.errors.map((problem) => `${flagOf('aliases')} (${path}): ${problem}`));
  }
}
