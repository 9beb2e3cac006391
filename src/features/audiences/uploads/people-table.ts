import { CsvError, type CsvRow, csvReader, SEPARATORS, type Separator } from '../../../base/csv.ts';
import { textDecoder } from '../../../base/decode-text.ts';
import { type Columns, columnOfName, columnOfValues, isRowOfValues } from './people-columns.ts';

/** A file of people as a table, independent of encoding and separator. */
export interface PeopleTable {
  /** Undefined without a header line. */
  readonly names: readonly string[] | undefined;
  /** The content of each column, detected by its name or values. */
  readonly columns: Columns;
  /** The first rows, without names. */
  readonly samples: readonly CsvRow[];
  /** Streams the rows without names. Can be called once. @throws CsvError */
  rows(): AsyncGenerator<readonly CsvRow[]>;
}

/** Number of characters read to detect separator and columns. */
const HEAD_CHARACTERS = 65_536;
const SAMPLES = 100;

/** Opens a file. @throws CsvError @source decision 1161 */
export async function openTable(bytes: AsyncIterable<Uint8Array>): Promise<PeopleTable> {
  const pieces = bytes[Symbol.asyncIterator]();
  const decode = textDecoder();
  let isEnd = false;
  const next = async (): Promise<string> => {
    const { value, done } = await pieces.next();
    isEnd = done === true;
    return decode(isEnd ? new Uint8Array() : value, isEnd);
  };
  let head = '';
  while (head.length < HEAD_CHARACTERS && !isEnd) head += await next();
  // The magic number of ZIP files.
  if (head.startsWith('PK\u0003\u0004')) throw new CsvError('it is a spreadsheet; export it as CSV');
  const separator = separatorOf(head, isEnd);
  const reader = csvReader(separator);
  const headRows = [...reader.push(head), ...(isEnd ? reader.end() : [])];
  const first = headRows[0]?.values ?? [];
  const names = isRowOfValues(first) ? undefined : first.map((name) => name.trim());
  const samples = headRows.slice(names ? 1 : 0, SAMPLES);
  return {
    names,
    columns: first.map(
      (name, index) =>
        (names && columnOfName(name)) ?? columnOfValues(samples.map(({ values }) => values[index] ?? '')),
    ),
    samples,
    async *rows() {
      yield headRows.slice(names ? 1 : 0);
      while (!isEnd) yield reader.push(await next());
      yield reader.end();
    },
  };
}

/** Number of rows that determine the separator. */
const SEPARATOR_ROWS = 20;

/** Detects the separator with which most rows have the same number of values as the first, and the most values. */
function separatorOf(head: string, isWhole: boolean): Separator {
  let best: Separator = ',';
  let most = 0;
  for (const separator of SEPARATORS) {
    try {
      const reader = csvReader(separator);
      const rows = [...reader.push(head), ...(isWhole ? reader.end() : [])].slice(0, SEPARATOR_ROWS);
      const width = rows[0]?.values.length ?? 0;
      const alike = rows.filter(({ values }) => values.length === width).length / rows.length;
      const score = width > 1 ? alike + width / 1e6 : 0;
      if (score > most) [best, most] = [separator, score];
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
    }
  }
  return best;
}
