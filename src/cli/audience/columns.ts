import { IDENTIFIER_KINDS } from '../../contract/store/audiences.ts';
import { isHashedKind } from '../../features/audiences/uploads/normalize.ts';
import { type Column, columnOfName } from '../../features/audiences/uploads/people-columns.ts';
import type { Pair } from '../connection-profile.ts';
import { CommandFailed } from '../failure.ts';

/** The content of each column; undefined if it is not an identifier. @throws CommandFailed when no column is */
export function detectColumns(file: string, head: readonly string[], pairs: readonly Pair[]): (Column | undefined)[] {
  const byName = new Map(pairs);
  const strange = pairs.find(([name]) => !head.includes(name));
  if (strange) throw new CommandFailed(`${file} has no column ${JSON.stringify(strange[0])}`, 2);
  const columns = head.map((name) => (byName.has(name) ? saidColumn(byName.get(name)!) : columnOfName(name)));
  if (columns.some((column) => column !== undefined)) return columns;
  throw new CommandFailed(
    `cannot tell which column of ${file} (${head.join(', ')}) has identifiers; name one, such as --column "${head[0] ?? 'E-mail'}=email"`,
    2,
  );
}

function saidColumn(text: string): Column {
  const isHashed = text.endsWith('_sha256');
  const kind = IDENTIFIER_KINDS.find((each) => each === text.replace(/_sha256$/, ''));
  if (kind && (isHashedKind(kind) || !isHashed)) return { kind, isHashed };
  throw new CommandFailed(`${JSON.stringify(text)} is not one of ${IDENTIFIER_KINDS.join(', ')}`, 2);
}
