import { readFileSync } from 'node:fs';

/** The style sheets, and the files that each is made of. */
const STYLES: Readonly<Record<string, readonly string[]>> = {
  'style.css': ['tokens.css', 'style.css', 'frame.css', 'console.css', 'bench.css'],
  'preview.css': ['preview.css'],
};

/** The style sheets of pages, by their names. */
export const styleSheets: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(STYLES).map(([name, files]) => [
    name,
    files.map((each) => readFileSync(new URL(`./${each}`, import.meta.url), 'utf8')).join('\n'),
  ]),
);
