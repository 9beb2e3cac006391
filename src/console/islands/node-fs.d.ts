/** Types that scripts share with pages come from modules that read files; no script does. */
declare module 'node:fs' {
  export function readFileSync(path: URL, encoding: 'utf8'): string;
}
