import { Type } from '../../../base/json-schema.ts';
import { type Field, field, isId, quoted } from '../../../contract/declare/fields.ts';
import { outOfRange } from '../../../contract/declare/out-of-range.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { isIabCategory, referenceEntry } from '../reference/reference-entry.ts';
import type { Criterion } from './criteria-rows.ts';
import {
  TARGETING_TYPES,
  type TargetingType,
  type TargetingTypeName,
  TYPE_ALIASES,
  targetingType,
} from './targeting-types.ts';

const NAMES = Object.keys(TARGETING_TYPES) as TargetingTypeName[];

/** A targeting type; aliases are stored under the canonical name. @source campaigns 10.3; decision 134 */
export function targetingTypeField(): Field<TargetingTypeName> {
  return field<TargetingTypeName>({
    name: 'targeting type',
    column: 'text',
    schema: Type.Literals(NAMES),
    problems: ['UNKNOWN_CRITERIA_TYPE'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      const name = typeof raw === 'string' ? (TYPE_ALIASES[raw] ?? raw) : '';
      if (Object.hasOwn(TARGETING_TYPES, name)) return name as TargetingTypeName;
      return { problem: 'UNKNOWN_CRITERIA_TYPE', parameter, words: { raw: quoted(raw) } };
    },
  });
}

/** Returns the canonical form of a targeting value, as stored. @source decision 177 */
export function normalizeValue(type: string, value: string): string {
  const kind = targetingType(type)?.value;
  switch (kind?.is) {
    case 'word':
      return kind.aliases?.[value.toLowerCase()] ?? value;
    case 'number':
      return /^\d{1,9}$/.test(value) ? String(Number(value)) : value;
    case 'user':
    case 'advertiser':
      return /^\d{1,20}$/.test(value) ? String(BigInt(value)) : value;
    case 'audience':
    case 'campaign':
    case 'id':
      return value.trim().toLowerCase();
    case 'looked-up':
      return canonicalEntryId(type, value);
    default:
      return value;
  }
}

/** Entry ids ignore case and surrounding white space, like all ids. */
function canonicalEntryId(type: string, value: string): string {
  const id = value.trim().toLowerCase();
  return referenceEntry(type, id) ? id : value;
}

/** Rule: the targeting type allows the operator and the value. */
export function criterionIsValid({
  after,
}: Pick<Change<Criterion>, 'after'>): ErrorDetail | readonly ErrorDetail[] | undefined {
  const name = String(after.targeting_type);
  const type = targetingType(name);
  return (
    checkOperator(name, type, String(after.operator_type)) ?? checkValue(name, type, String(after.targeting_value))
  );
}

/** Exclude-only types report the error on the type, others on the operator. @source decision 135 */
function checkOperator(name: string, { operators }: TargetingType, raw: string): ErrorDetail | undefined {
  if ((operators as readonly string[]).includes(raw)) return undefined;
  if (operators.length === 1 && operators[0] === 'NE') {
    return { problem: 'INVALID_TARGETING_TYPE', parameter: 'targeting_type', words: { name, how: 'with operator NE' } };
  }
  const list = [...operators].sort().join(', ');
  return { problem: 'NOT_IN_ENUM', parameter: 'operator_type', words: { list, raw } };
}

const parameter = 'targeting_value';

function checkValue(name: string, { value: kind }: TargetingType, raw: string): ErrorDetail | undefined {
  const unknown: ErrorDetail = { problem: 'NOT_A_TARGETING_VALUE', parameter, words: { raw, name } };
  switch (kind.is) {
    case 'looked-up':
      return referenceEntry(name, raw) ? undefined : unknown;
    case 'word': {
      const list = Object.keys(kind.words).sort().join(', ');
      return Object.hasOwn(kind.words, raw) ? undefined : { problem: 'NOT_IN_ENUM', parameter, words: { list, raw } };
    }
    case 'number':
      return checkNumber(kind, raw);
    case 'user':
    case 'advertiser':
      return /^\d{1,20}$/.test(raw) ? undefined : { problem: 'NOT_LONG', parameter, words: { raw } };
    case 'iab':
      return isIabCategory(raw) ? undefined : { problem: 'INVALID_IAB_CATEGORY', parameter, value: raw };
    case 'campaign':
    case 'audience':
    case 'id':
      return isId(raw) ? undefined : { problem: 'NOT_AN_ID', parameter, words: { raw } };
    case 'text':
      return undefined;
  }
}

function checkNumber({ min, max }: { min: number; max: number }, raw: string): ErrorDetail | undefined {
  if (!/^-?\d{1,9}$/.test(raw)) return { problem: 'NOT_LONG', parameter, words: { raw } };
  const number = Number(raw);
  if (number >= min && number <= max) return undefined;
  return outOfRange(parameter, { min, max, raw });
}
