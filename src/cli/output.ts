/**
 * Characters that move the cursor, or that color, hide or reverse text: C0 except tab and newline, DEL, C1, separators,
 * bidi controls.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const COMMANDING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes control characters as in JSON, so that output cannot control the terminal and JSON stays valid.
 * @source decision 546
 */
export function escapeControls(text: string): string {
  return text.replace(COMMANDING, escaped);
}

/** Escapes control characters, tabs and newlines, for values in a line or column. @source decision 546 */
export function oneLine(value: string): string {
  return escapeControls(value.replace(/[\t\n]/g, escaped));
}

/** Writes to stdout with control characters escaped. */
export function print(text: string): void {
  process.stdout.write(escapeControls(text));
}

/** Writes to stderr with control characters escaped. */
export function printError(text: string): void {
  process.stderr.write(escapeControls(text));
}

/** Prints rows in columns, the first one as their heads. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows)
    print(
      `${row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()}\n`,
    );
}

/** Prints a result, one `name=value` per line, for people and scripts. */
export function printFields(fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) print(`${name}=${oneLine(value)}\n`);
}

/** Quotes text as one word for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
