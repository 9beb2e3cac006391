import { readFileSync } from 'node:fs';

/** One line of a table by the names of its columns; a column without a value holds the empty text. */
export type Line<C extends string> = Readonly<Record<C, string>>;

/**
 * Reads one of the tables beside this file: tab-separated, the first line names the columns. Reads it anew each time:
 * who needs it often remembers what was made of it.
 */
export function readTable<C extends string>(name: string): readonly Line<C>[] {
  const text = readFileSync(new URL(`./tables/${name}.tsv`, import.meta.url), 'utf8');
  const [head, ...lines] = text.replace(/\n$/, '').split('\n');
  const columns = head!.split('\t');
  return lines.map((line) => {
    const values = line.split('\t');
    return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? ''])) as Line<C>;
  });
}

/** A value that is made when it is first asked for, and kept. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
