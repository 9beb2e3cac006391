import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { parse } from 'acorn';
import { SyntaxKind } from 'typescript/unstable/ast';
import { scan, tokensByRoom } from './tokens.ts';

// `npm run ratchets` measures the sources against `build/ratchets.json`, whose numbers only fall: it fails when one has
// risen, and `--write` records those that have fallen.

const FILE = new URL('ratchets.json', import.meta.url);
const LONG = [70, 100] as const;

type Measures = Readonly<Record<string, number>>;

interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
}

/** The lengths in lines of all functions of a file. */
export function functionLengths(text: string): number[] {
  const lengths: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, loc } = node as Node;
    if (typeof type === 'string' && type.includes('Function')) lengths.push(loc.end.line - loc.start.line + 1);
    for (const [name, value] of Object.entries(node)) if (name !== 'loc') visit(value);
  };
  const script = stripTypeScriptTypes(text);
  visit(parse(script, { ecmaVersion: 'latest', sourceType: 'module', locations: true }));
  return lengths;
}

/** How often a file claims a type: by `as unknown as`, and by `!`. */
export function countClaims(text: string): { readonly casts: number; readonly assertions: number } {
  let [casts, assertions] = [0, 0];
  let before: SyntaxKind[] = [];
  scan(text, (kind) => {
    const [last, ...earlier] = before;
    if (kind === SyntaxKind.AsKeyword && last === SyntaxKind.UnknownKeyword && earlier[0] === SyntaxKind.AsKeyword)
      casts += 1;
    if (kind === SyntaxKind.ExclamationToken && last !== undefined && ENDS.has(last)) assertions += 1;
    before = [kind, ...before.slice(0, 1)];
  });
  return { casts, assertions };
}

/** Tokens after which `!` asserts that a value is there. */
const ENDS = new Set([SyntaxKind.Identifier, SyntaxKind.CloseParenToken, SyntaxKind.CloseBracketToken]);

/** What the sources measure now. */
function measures(): Measures {
  const files = globSync('src/**/*.{ts,tsx}').filter((file) => !/\bgenerated\b|\.d\.ts$/.test(file));
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const lengths = files.flatMap((file, at) => (file.endsWith('.ts') ? functionLengths(texts[at]!) : []));
  const claims = texts.map(countClaims);
  return {
    tokens: [...tokensByRoom().values()].reduce((sum, each) => sum + each, 0),
    ...Object.fromEntries(
      LONG.map((max) => [`functions over ${max} lines`, lengths.filter((each) => each > max).length]),
    ),
    casts: claims.reduce((sum, each) => sum + each.casts, 0),
    assertions: claims.reduce((sum, each) => sum + each.assertions, 0),
  };
}

if (import.meta.main) {
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Measures;
  const now = measures();
  for (const [name, value] of Object.entries(now)) {
    const max = recorded[name] ?? Number.POSITIVE_INFINITY;
    console.log(`${name.padEnd(26)}${value.toLocaleString('en').padStart(9)} of ${max.toLocaleString('en')}`);
    if (value > max) process.exitCode = 1;
  }
  if (process.exitCode === 1)
    console.error('A number has risen: remove as much elsewhere, or as much of this change as it does not need.');
  if (process.argv.includes('--write')) {
    const lower = Object.entries(now).map(([name, value]) => [name, Math.min(value, recorded[name] ?? value)]);
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(lower), undefined, 2)}\n`);
  }
}
