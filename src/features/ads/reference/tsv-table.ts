import { readFileSync } from 'node:fs';

/** A row of a table by column name; missing values are empty strings. */
export type TableRow<C extends string> = Readonly<Record<C, string>>;

/** Reads a tab-separated table of `tables/`; the first line has the column names. Not cached: wrap it in `lazy`. */
export function readTable<C extends string>(name: string): readonly TableRow<C>[] {
  const text = readFileSync(new URL(`./tables/${name}.tsv`, import.meta.url), 'utf8');
  const [head, ...lines] = text.replace(/\n$/, '').split('\n');
  const columns = head!.split('\t');
  return lines.map((line) => {
    const values = line.split('\t');
    return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? ''])) as TableRow<C>;
  });
}

/** Computes a value at first use and caches it. */
export function lazy<T extends {}>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
