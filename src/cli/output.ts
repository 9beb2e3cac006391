/**
 * Characters that move the cursor, or that color, hide or reverse text: C0 except tab and newline, DEL, C1, separators,
 * bidi controls.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
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

/** Prints a line. */
export function printLine(line: string): void {
  print(`${line}\n`);
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** Prints a row with a tab between cells. */
export function printRow(...cells: readonly string[]): void {
  printLine(cells.map(oneLine).join('\t').trimEnd());
}

/** Prints aligned rows; the first one is the header. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column]!));
    printLine(cells.join('  ').trimEnd());
  }
}

/** Prints a result, one `name=value` per line, for people and scripts. */
export function printFields(fields: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(fields)) printLine(`${name}=${oneLine(String(value))}`);
}

/** Quotes text as one word for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
