import type { Field } from '../contract/declare/fields.ts';
import type { CredentialKind, Operation, Parameters } from '../contract/declare/operation.ts';
import type { AnyResource, Quota, Row, Verb } from '../contract/declare/resource.ts';
import { ROLES } from '../contract/declare/roles.ts';
import { AUTHENTICATION_PROBLEMS, type ProblemName, type Wording, wordingIn } from '../contract/problems/problems.ts';

/** Problems that can end any call before its operation is known, in the order of the checks. */
const BEFORE_ALL: readonly ProblemName[] = [...AUTHENTICATION_PROBLEMS, 'BODY_TOO_LARGE'];

const OF_BASIC = 'CLIENT_REFUSED';
const OF_BEARER = 'BEARER_INVALID';

const NOT_BY_USERS = 'USER_NOT_ALLOWED';

const OF_SIGNED: readonly ProblemName[] = [
  'BEARER_NOT_ALLOWED',
  'TIMESTAMP_OUT_OF_BOUNDS',
  'SIGNATURE_REFUSED',
  'TOKEN_UNKNOWN',
  'TOKEN_REVOKED',
  'APPLICATION_SUSPENDED',
  'USER_SUSPENDED',
  'USER_LOCKED',
];

/** Problems of users whose access level does not allow changes. */
const OF_LEVEL: readonly ProblemName[] = ['READ_ONLY_TOKEN', 'READ_ONLY_APPLICATION'];

/** Problems that do not apply to a kind of credential. */
const EXCLUDED: Readonly<Record<CredentialKind, readonly ProblemName[]>> = {
  user: [OF_BASIC, NOT_BY_USERS],
  consumer: [OF_BASIC, OF_BEARER, NOT_BY_USERS, 'TOKEN_REVOKED', 'USER_SUSPENDED', 'USER_LOCKED', ...OF_LEVEL],
  'request-token': [OF_BASIC, OF_BEARER, NOT_BY_USERS, 'TOKEN_REVOKED', ...OF_LEVEL],
  basic: [OF_BEARER, NOT_BY_USERS, ...OF_SIGNED, ...OF_LEVEL],
  bearer: [OF_BASIC, 'BEARER_NOT_ALLOWED', ...OF_LEVEL],
  publisher: [OF_BASIC, NOT_BY_USERS, ...OF_SIGNED, ...OF_LEVEL],
  'user-or-bearer': [OF_BASIC, 'BEARER_NOT_ALLOWED', NOT_BY_USERS],
  'owner-or-basic': [NOT_BY_USERS],
};

/** Problems of a body with files. */
const OF_PARTS: readonly ProblemName[] = ['PARTS_UNREADABLE', 'FILE_TOO_LARGE', 'FILE_NOT_IN_PARTS', 'NOT_BASE64'];

const AFTER_ALL: readonly ProblemName[] = ['UNAVAILABLE', 'INTERNAL'];

/** Problems of requests that match no operation. */
export const UNROUTED: readonly ProblemName[] = ['ROUTE_UNKNOWN', 'VERSION_UNKNOWN', 'METHOD_UNKNOWN'];

/** Problems of requests that could not be parsed, beyond those of every call. @source decision 114 */
export const UNREAD: readonly ProblemName[] = [
  'REQUEST_UNREADABLE',
  'HEAD_TOO_LARGE',
  'CODING_UNKNOWN',
  'REQUEST_TOO_SLOW',
  'EXPECTATION_UNKNOWN',
];

/** Problems of events sent by the website tag, beyond those of conversions. @source decision 1071 */
export const OF_VISITORS: readonly ProblemName[] = ['CONVERSION_BEYOND_CLICK'];

/** All problems of requests outside any operation. */
export const WITHOUT_OPERATION: readonly ProblemName[] = [
  ...UNROUTED,
  ...UNREAD,
  ...BEFORE_ALL,
  'RATE_LIMITED',
  ...OF_VISITORS,
  ...AFTER_ALL,
];

const raised = new WeakMap<Operation, readonly ProblemName[]>();

/** All problems that a call of an operation can end with, in the order of the checks. */
export function declaredProblems(operation: Operation): readonly ProblemName[] {
  let known = raised.get(operation);
  if (!known) {
    known = raisedBy(operation);
    raised.set(operation, known);
  }
  return known;
}

function raisedBy(operation: Operation): readonly ProblemName[] {
  const {
    onlyIn: only,
    method,
    allowsReadOnlyToken,
    roles,
    body,
    bodyBytes,
    credential = 'user',
    rateProblem,
  } = operation;
  const found: ProblemName[] = [
    ...(only ? (['METHOD_UNKNOWN'] as const) : []),
    ...[...BEFORE_ALL, ...(method === 'GET' || allowsReadOnlyToken ? [] : OF_LEVEL)].filter(
      (name) => !EXCLUDED[credential].includes(name),
    ),
    ...(roles ? (['ID_ILLEGAL', 'ACCOUNT_NOT_ACCESSIBLE', 'NOT_FOUND'] as const) : []),
    ...(roles && roles.length < ROLES.length ? (['ACTION_NOT_ALLOWED'] as const) : []),
    ...(rateProblem ? [rateProblem] : []),
    'RATE_LIMITED',
    ...(['json', 'object', 'members', 'bytes'].includes(body) ? (['CONTENT_TYPE'] as const) : []),
    ...(bodyBytes ? [bodyBytes.problem] : []),
    ...(body === 'object' ? (['NOT_AN_OBJECT'] as const) : []),
    ...(operation.formOnly ? [] : (['NOT_JSON'] as const)),
    ...(operation.files ? OF_PARTS : []),
    ...ownParameterProblems(operation),
    ...operation.problems,
    ...AFTER_ALL,
  ];
  return [...new Set(found)];
}

/** Problems of the parameters of an operation, or of the members of its body. */
export function ownParameterProblems(operation: Operation): ProblemName[] {
  const { method, parameters, body } = operation;
  if (body === 'members') return memberProblems(operation);
  return parameterProblems(parameters, { empty: method === 'GET' ? 'is refused' : 'unsets' }).filter(
    // No name occurs twice in a JSON object.
    (name) => body !== 'object' || name !== 'REPEATED_PARAMETER',
  );
}

/** Errors of the declared members of a JSON body. */
function memberProblems({ bodyMembers = {} }: Operation): ProblemName[] {
  const fields = Object.values(bodyMembers);
  const found: ProblemName[] = [
    'MEMBER_NO_OBJECT',
    ...(fields.some((field) => field.isRequired) ? (['MEMBER_MISSING'] as const) : []),
    'MEMBER_UNKNOWN',
    'TEXT_EMPTY',
    ...fields.flatMap((field) => field.kind.problems),
  ];
  return [...new Set(found)];
}

/** Problems of parameters. */
export function parameterProblems(
  parameters: Parameters,
  { empty }: { readonly empty: 'unsets' | 'is refused' },
): ProblemName[] {
  const found = Object.values(parameters).flatMap((field) => fieldProblems(field, empty));
  return [...new Set(found)];
}

function fieldProblems(field: Field, empty: 'unsets' | 'is refused'): ProblemName[] {
  const isWord = field.kind.name === 'text' || field.kind.name === 'id';
  const refusesEmpty = isWord && !field.isRequired && (empty === 'is refused' || !field.isNullable);
  return [
    ...(field.isRequired ? (['MISSING_PARAMETER'] as const) : []),
    'REPEATED_PARAMETER',
    ...(refusesEmpty ? (['TEXT_EMPTY'] as const) : []),
    ...field.kind.problems,
  ];
}

/** Problems of a write from the rules, references and quotas of a resource. */
export function ruleProblems(resource: AnyResource, verb: Verb): ProblemName[] {
  const quotas = (resource.quotas ?? []) as readonly Quota<Row>[];
  const full = quotas.filter((quota) => verb === 'create' || Object.keys(quota.where).length > 0);
  const beyond = full.map((quota) => quota.problem);
  if (verb === 'activate') return beyond;
  if (verb === 'remove') return [...(resource.deletion?.problems ?? [])];
  const fields = Object.values(resource.fields as Record<string, Field>);
  const pointing = fields.filter((field) => verb === 'create' || field.writable === 'input');
  const dangling = pointing.flatMap((field) => field.target?.().notFound ?? []);
  const blank: ProblemName[] = 'name' in resource.fields ? ['TEXT_EMPTY'] : [];
  const own = (verb === 'update' ? resource.updateProblems : resource.createProblems) ?? [];
  return [...dangling, ...blank, ...(resource.problems ?? []), ...own, ...beyond];
}

/** The wording of a problem in the family of an operation. */
export function wording(operation: Pick<Operation, 'family'>, name: ProblemName): Wording {
  return wordingIn(operation.family, name);
}

/** All success statuses of an operation. */
export function successesOf({ success = 200, successes = {} }: Operation): number[] {
  return [success, ...Object.keys(successes).map(Number)];
}

/** All statuses of an operation, ascending. */
export function statusesOf(operation: Operation): number[] {
  const found = new Set([
    ...successesOf(operation),
    ...declaredProblems(operation).map((name) => wording(operation, name)[0]),
  ]);
  if (operation.itemProblems) found.add(400);
  return [...found].sort((a, b) => a - b);
}
