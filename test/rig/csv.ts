import { csvReader } from '../../src/base/csv.ts';

/** The rows of CSV. */
export function csvRows(text: string): string[][] {
  const reader = csvReader();
  return [...reader.push(text), ...reader.end()].map(({ values }) => [...values]);
}
