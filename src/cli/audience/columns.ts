import { IDENTIFIER_KINDS, type IdentifierKind } from '../../contract/store/audiences.ts';
import { hashOfIdentifier, isHashedKind, normalForm } from '../../features/audiences/uploads/normalize.ts';
import type { Pair } from '../connection-profile.ts';
import { CommandFailed } from '../failure.ts';

/** What a column holds. */
export interface Column {
  readonly kind: IdentifierKind;
  /** Its values are hashes. */
  readonly isHashed: boolean;
}

/** A person as requests name him. */
export type PersonIdentifiers = Readonly<Partial<Record<IdentifierKind, readonly string[]>>>;

/** Names that columns have elsewhere, without what is neither letter nor digit. */
const NAMES: Readonly<Record<IdentifierKind, readonly string[]>> = {
  email: ['email', 'emails', 'emailaddress', 'mail', 'e mail'],
  phone_number: ['phonenumber', 'phone', 'phones', 'mobile', 'mobilenumber', 'mobilephone', 'telephone', 'tel'],
  handle: ['handle', 'username', 'screenname'],
  service_user_id: ['serviceuserid', 'userid'],
  device_id: ['deviceid', 'advertisingid', 'idfa', 'gaid', 'aaid', 'androidid', 'adid'],
  partner_user_id: ['partneruserid', 'externalid', 'customerid', 'crmid'],
};

const HASHED = /(sha256|hashed|hash)$/;

/** What each column of a file holds; undefined for one that is no identifier. @throws CommandFailed when none is */
export function detectColumns(file: string, head: readonly string[], said: readonly Pair[]): (Column | undefined)[] {
  const byName = new Map(said);
  const strange = said.find(([name]) => !head.includes(name));
  if (strange) throw new CommandFailed(`${file} has no column ${JSON.stringify(strange[0])}`, 2);
  const columns = head.map((name) => (byName.has(name) ? saidColumn(byName.get(name)!) : knownColumn(name)));
  if (columns.some((column) => column !== undefined)) return columns;
  throw new CommandFailed(
    `no column of ${file} (${head.join(', ')}) is known; name one, as --column "${head[0] ?? 'E-mail'}=email"`,
    2,
  );
}

function saidColumn(text: string): Column {
  const isHashed = text.endsWith('_sha256');
  const kind = IDENTIFIER_KINDS.find((each) => each === text.replace(/_sha256$/, ''));
  if (kind && (isHashedKind(kind) || !isHashed)) return { kind, isHashed };
  throw new CommandFailed(`${JSON.stringify(text)} is none of ${IDENTIFIER_KINDS.join(', ')}`, 2);
}

function knownColumn(name: string): Column | undefined {
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const kind = IDENTIFIER_KINDS.find((each) => NAMES[each].includes(letters.replace(HASHED, '')));
  if (!kind || (HASHED.test(letters) && !isHashedKind(kind))) return undefined;
  return { kind, isHashed: HASHED.test(letters) };
}

const HASH = /^[0-9a-f]{64}$/i;

/** Whether a normal form can be what it should be. */
const SOUND: Readonly<Partial<Record<IdentifierKind, RegExp>>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  phone_number: /^\+\d{6,15}$/,
  service_user_id: /^\d{1,20}$/,
};

/** The person of a row; undefined when nothing of it can be hashed. Several values of a column stand between semicolons. */
export function identifiersOf(
  columns: readonly (Column | undefined)[],
  row: readonly string[],
): PersonIdentifiers | undefined {
  const person: Partial<Record<IdentifierKind, string[]>> = {};
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const { kind } = column;
    const texts = kind === 'partner_user_id' ? [row[index] ?? ''] : (row[index] ?? '').split(';');
    const values = texts.flatMap((text) => identifierOf(column, text) ?? []);
    if (values.length > 0) person[kind] = [...(person[kind] ?? []), ...values];
  }
  return Object.keys(person).length === 0 ? undefined : person;
}

function identifierOf({ kind, isHashed }: Column, text: string): string | undefined {
  const trimmed = text.trim();
  if (kind === 'partner_user_id') return trimmed === '' || [...trimmed].length > 256 ? undefined : trimmed;
  // Files that say nothing of it hold hashes too.
  if (isHashed || HASH.test(trimmed)) return HASH.test(trimmed) ? trimmed.toLowerCase() : undefined;
  const form = normalForm(kind, text);
  return form !== '' && (SOUND[kind]?.test(form) ?? true) ? hashOfIdentifier(kind, text) : undefined;
}
