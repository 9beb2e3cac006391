import { hash } from 'node:crypto';
import { IDENTIFIER_KINDS, type IdentifierKind, isHashedKind } from '../../contract/store/audiences.ts';
import { type Normalized, normalize } from '../../features/audiences/uploads/normalize.ts';
import { REASONS } from '../../features/audiences/uploads/people-columns.ts';
import { type Complaints, isObject, itemsOf, type Located, membersOf, textOf } from './checker.ts';

const NO_FIELDS = { fields: {}, others: IDENTIFIER_KINDS } as const;

/** Reports people without identifiers, and unusable identifiers. */
export function checkPeople(at: Located | undefined, complaints: Complaints): void {
  for (const person of itemsOf(at)) {
    const members = membersOf(person, NO_FIELDS, complaints);
    if (members.size === 0) complaints.add(person, `expected one of ${IDENTIFIER_KINDS.join(', ')}`);
    for (const [kind, member] of members) {
      const text = textOf(member, complaints);
      const read = text === undefined ? undefined : formOf(kind as IdentifierKind, text);
      if (read && 'unusable' in read) complaints.add(member, REASONS[read.unusable]);
    }
  }
}

/** Builds the request body of an upload of people. */
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

const HASH = /^[0-9a-f]{64}$/;

function formOf(kind: IdentifierKind, text: string): Normalized {
  return HASH.test(text) ? { form: text } : normalize(kind, text);
}

/** An identifier as it is uploaded: most are hashed. */
function identifierOf(kind: IdentifierKind, text: string): string {
  const read = formOf(kind, text);
  // `checkPeople` has refused the others.
  const form = 'form' in read ? read.form : '';
  return isHashedKind(kind) && !HASH.test(text) ? hash('sha256', form) : form;
}

/** The size of a picture in pixels: width and height. */
export const PICTURE_SIZE = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/;

/** Parses the size in a member; undefined if it is invalid. */
export function sizeOf({ value }: Located): readonly [width: number, height: number] | undefined {
  const [, width, height] = (typeof value === 'string' && PICTURE_SIZE.exec(value)) || [];
  return width === undefined ? undefined : [Number(width), Number(height)];
}
