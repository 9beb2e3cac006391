import { CsvError, type CsvRow, csvReader, SEPARATORS, type Separator } from '../../../base/csv.ts';
import { textDecoder } from '../../../base/decode-text.ts';
import { type Columns, columnOfName, columnOfValues, isRowOfValues } from './people-columns.ts';

/** A file of people as a table, whatever its encoding and separator. */
export interface PeopleTable {
  /** Undefined without a header line. */
  readonly names: readonly string[] | undefined;
  /** The content of each column, by its name or its values. */
  readonly columns: Columns;
  /** The first rows, without names. */
  readonly samples: readonly CsvRow[];
  /** The rows without names, in pieces as they are read; can be called once. @throws CsvError */
  rows(): AsyncGenerator<readonly CsvRow[]>;
}

/** Characters of a file that are read to detect its separator and columns. */
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
  // The beginning of a ZIP file.
  if (head.startsWith('PK\u0003\u0004')) throw new CsvError('it is a spreadsheet; export it as CSV');
  const separator = separatorOf(head, isEnd);
  const reader = csvReader(separator);
  const begun = [...reader.push(head), ...(isEnd ? reader.end() : [])];
  const first = begun[0]?.values ?? [];
  const names = isRowOfValues(first) ? undefined : first.map((name) => name.trim());
  const samples = begun.slice(names ? 1 : 0, SAMPLES);
  return {
    names,
    columns: first.map(
      (name, index) =>
        (names && columnOfName(name)) ?? columnOfValues(samples.map(({ values }) => values[index] ?? '')),
    ),
    samples,
    async *rows() {
      yield begun.slice(names ? 1 : 0);
      while (!isEnd) yield reader.push(await next());
      yield reader.end();
    },
  };
}

/** Rows that determine the separator. */
const TELLING = 20;

/** The separator with which most rows have as many values as the first, and the most. */
function separatorOf(head: string, isWhole: boolean): Separator {
  let best: Separator = ',';
  let most = 0;
  for (const separator of SEPARATORS) {
    try {
      const reader = csvReader(separator);
      const rows = [...reader.push(head), ...(isWhole ? reader.end() : [])].slice(0, TELLING);
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
