import { hash } from 'node:crypto';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../../contract/store/audiences.ts';
import { isHashedKind, normalize } from '../../features/audiences/uploads/normalize.ts';
import { type Complaints, itemsOf, membersOf, textOf } from './checker.ts';
import { isObject, type Located } from './located.ts';

const NO_FIELDS = { fields: {}, others: IDENTIFIER_KINDS } as const;

/** Complains of people of whom nothing is known. */
export function checkPeople(at: Located | undefined, complaints: Complaints): void {
  for (const person of itemsOf(at)) {
    const members = membersOf(person, NO_FIELDS, complaints);
    if (members.size === 0) complaints.add(person, `expected one of ${IDENTIFIER_KINDS.join(', ')}`);
    for (const member of members.values()) textOf(member, complaints);
  }
}

/** The body of an upload of people. */
export function uploadOf(at: Located): string {
  const users = itemsOf(at).map((person) =>
    Object.fromEntries(
      isObject(person)
        ? [...person.value].map(([kind, { value, source }]) => [
            kind,
            [identifierOf(kind as IdentifierKind, source ?? String(value))],
          ])
        : [],
    ),
  );
  return JSON.stringify([{ operation_type: 'Update', params: { users } }]);
}

/** An identifier as it is uploaded: most are hashed. */
function identifierOf(kind: IdentifierKind, text: string): string {
  const isReady = !isHashedKind(kind) || /^[0-9a-f]{64}$/.test(text);
  return isReady ? text : hash('sha256', normalize(kind, text));
}
