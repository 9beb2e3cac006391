import { globSync, readFileSync } from 'node:fs';
import { LanguageVariant, SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

// `npm run tokens` counts the tokens of the sources by room: what there is to read, whatever its lines and comments are. A
// template counts once, and once more for each value in it.

/** Tokens after which a slash divides. */
const VALUES = new Set([
  ...[SyntaxKind.Identifier, SyntaxKind.NumericLiteral, SyntaxKind.BigIntLiteral, SyntaxKind.StringLiteral],
  ...[SyntaxKind.NoSubstitutionTemplateLiteral, SyntaxKind.TemplateTail, SyntaxKind.CloseParenToken],
  ...[SyntaxKind.CloseBracketToken, SyntaxKind.CloseBraceToken, SyntaxKind.ThisKeyword],
]);

/** Calls `see` with each token of a text, without comments and white space. */
export function scan(text: string, see: (kind: SyntaxKind) => void): void {
  const scanner = createScanner(true, LanguageVariant.JSX, text);
  /** The braces that are open in each open template. */
  const templates: number[] = [];
  for (let kind = scanner.scan(), before = kind; kind !== SyntaxKind.EndOfFile; before = kind, kind = scanner.scan()) {
    const depth = templates.length - 1;
    if (kind === SyntaxKind.SlashToken && !VALUES.has(before)) kind = scanner.reScanSlashToken();
    else if (kind === SyntaxKind.OpenBraceToken && depth >= 0) templates[depth]! += 1;
    else if (kind === SyntaxKind.CloseBraceToken && templates[depth] === 0) kind = scanner.reScanTemplateToken(false);
    else if (kind === SyntaxKind.CloseBraceToken && depth >= 0) templates[depth]! -= 1;
    if (kind === SyntaxKind.TemplateHead) templates.push(0);
    else if (kind === SyntaxKind.TemplateTail) templates.pop();
    see(kind);
  }
}

/** The number of tokens of a text. */
export function countTokens(text: string): number {
  let count = 0;
  scan(text, () => {
    count += 1;
  });
  return count;
}

/** The tokens of each room of `src`, without generated files. */
export function tokensByRoom(): Map<string, number> {
  const rooms = new Map<string, number>();
  for (const file of globSync('src/**/*.{ts,tsx}').sort()) {
    if (/\bgenerated\b|\.d\.ts$/.test(file)) continue;
    const [, room] = /^src[\\/](features[\\/][^\\/]+|[^\\/]+)/.exec(file)!;
    rooms.set(room!, (rooms.get(room!) ?? 0) + countTokens(readFileSync(file, 'utf8')));
  }
  return rooms;
}

if (import.meta.main) {
  const rooms = tokensByRoom();
  for (const [room, tokens] of rooms) console.log(`${room.padEnd(24)}${tokens.toLocaleString('en').padStart(9)}`);
  const all = [...rooms.values()].reduce((sum, each) => sum + each, 0);
  console.log(`${'all'.padEnd(24)}${all.toLocaleString('en').padStart(9)}`);
}
