import {
  COLUMN_KINDS,
  type Column,
  type Columns,
  columnOf,
  isIdentifierKind,
} from '../../features/audiences/uploads/people-columns.ts';
import type { PeopleTable } from '../../features/audiences/uploads/people-table.ts';
import type { Pair } from '../connection-profile.ts';
import { CommandFailed } from '../failure.ts';

/** What each column has; as the caller says, by name or number. @throws CommandFailed when none has identifiers */
export function chooseColumns(file: string, { names, columns }: PeopleTable, pairs: readonly Pair[]): Columns {
  if (columns.length === 0) throw new CommandFailed(`${file} is empty`, 2);
  const chosen = [...columns];
  for (const [name, kind] of pairs) {
    const named = names?.indexOf(name) ?? -1;
    const index = named >= 0 ? named : Number(name) - 1;
    if (!(index in chosen)) throw new CommandFailed(`${file} has no column ${JSON.stringify(name)}`, 2);
    chosen[index] = saidColumn(kind);
  }
  if (chosen.some((column) => column && isIdentifierKind(column.kind))) return chosen;
  const head = names ? ` (${names.join(', ')})` : '';
  throw new CommandFailed(
    `cannot tell which column of ${file}${head} has identifiers; name one, such as --column "${names?.[0] ?? '1'}=email"`,
    2,
  );
}

function saidColumn(text: string): Column {
  const isHashed = text.endsWith('_sha256');
  const kind = COLUMN_KINDS.find((each) => each === text.replace(/_sha256$/, ''));
  const column = kind && columnOf(kind, isHashed);
  if (column) return column;
  throw new CommandFailed(`${JSON.stringify(text)} is not one of ${COLUMN_KINDS.join(', ')}`, 2);
}
