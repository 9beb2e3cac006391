import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TEMPLATES } from '../../src/dev/snippets/templates.ts';
import { texts } from '../../src/texts/texts.ts';

/** Where the digests of all pictures are. */
export const SOURCES = 'test/vectors/pictures.json';

/** Digests of what the pictures of the documents show, by file name: a picture is taken again when its own changes. */
export function pictureSources(): Readonly<Record<string, string>> {
  const { home, names, others } = texts.tools;
  const shown = [home, names, others].map((words) =>
    JSON.stringify(words, (_, each) => (typeof each === 'function' ? String(each) : each)),
  );
  const page = readFileSync('src/dev/home/home-page.ts', 'utf8');
  const digest = createHash('sha256').update([...shown, TEMPLATES[0]!.code, page].join('\n'));
  return { 'home.png': digest.digest('hex').slice(0, 16) };
}
