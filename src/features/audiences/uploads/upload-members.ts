import { type Schema, Type } from '../../../base/json-schema.ts';
import type { AccountCall, AccountOperation } from '../../../contract/declare/operation.ts';
import { AUDIENCE_WRITERS } from '../../../contract/declare/roles.ts';
import { type Problem, type ProblemName, problem } from '../../../contract/problems/problems.ts';
import { IDENTIFIER_KINDS, type IdentifierKind, type UploadRules } from '../../../contract/store/audiences.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import { checkId } from '../../../rows/keys.ts';
import { acceptUpload, type Destination } from './accept-upload.ts';
import { OPERATIONS_MAX, PLAINTEXT_CHARACTERS_MAX, UPLOAD_BYTES_MAX } from './upload-limits.ts';

const DESCRIPTIONS: Readonly<Record<IdentifierKind, string>> = {
  email: 'Trimmed, lower case.',
  phone_number: 'With plus sign and country code, digits only.',
  handle: 'Without @, lower case.',
  service_user_id: 'The numeric id of the user.',
  device_id: 'Lower case, with dashes if the device has them.',
  partner_user_id: 'Your own id, not hashed.',
};

/** JSON Schema of an upload of people. */
function uploadSchema({ kinds, acceptsEffectiveAt }: UploadRules): Schema {
  const hashed = Type.String({ pattern: '^[0-9A-Fa-f]{64}$', description: 'SHA-256' });
  const plain = Type.String({ minLength: 1, maxLength: PLAINTEXT_CHARACTERS_MAX });
  const lists = kinds.map((kind) => {
    const each = kind === 'partner_user_id' ? plain : hashed;
    return [kind, Type.Optional(Type.Array(each, { description: DESCRIPTIONS[kind] }))] as const;
  });
  const person = Type.Object(Object.fromEntries(lists), { minProperties: 1, additionalProperties: false });
  const time = Type.Optional(Type.String({ format: 'date-time' }));
  const params = Type.Object({
    ...(acceptsEffectiveAt ? { effective_at: time } : {}),
    expires_at: time,
    users: Type.Array(person, { minItems: 1 }),
  });
  const type = Type.Union([Type.Literal('Update'), Type.Literal('Delete')]);
  return Type.Array(Type.Object({ operation_type: type, params }), { minItems: 1, maxItems: OPERATIONS_MAX });
}

const count = Type.Integer({ minimum: 0 });

/** The numbers of accepted and sent people, which are equal. @source creatives 19.4 */
const countsSchema = Type.Closed({ success_count: count, total_count: count });

/** The reply to an upload to a list: each operation and its result. @source creatives 24 */
const byOperationSchema = Type.Closed({
  request: Type.Array(
    Type.Closed({
      operation_type: Type.Union([Type.Literal('Update'), Type.Literal('Delete')]),
      params: Type.Closed({
        account_id: Type.String(),
        do_not_reach_list_id: Type.String(),
        expires_at: Type.Optional(Type.String({ format: 'date-time' })),
      }),
    }),
  ),
  data: Type.Array(countsSchema),
});

/** The rules of uploads to custom audiences. */
const AUDIENCE_UPLOADS: UploadRules = { kinds: IDENTIFIER_KINDS, acceptsEffectiveAt: true, limitsExpiry: false };
/** The rules of uploads to do-not-reach lists. @source decision 270, 271 */
const LIST_UPLOADS: UploadRules = { kinds: ['email', 'phone_number'], acceptsEffectiveAt: false, limitsExpiry: true };

const WHOLE: readonly ProblemName[] = ['BATCH_NOT_ARRAY', 'BATCH_EMPTY', 'TOO_MANY_OPERATIONS'];
const ITEMS: readonly ProblemName[] = [
  'MISSING_PARAMETER',
  'NOT_IN_ENUM',
  'NOT_TIME',
  'EXPIRED_ALREADY',
  'EXPIRES_TOO_EARLY',
  'NOT_A_LIST',
  'TOO_FEW_ITEMS',
  'NOT_AN_OBJECT',
  'IDENTIFIER_KIND_UNKNOWN',
  'NO_IDENTIFIER',
  'NOT_A_HASH',
  'HASH_OF_NOTHING',
  'HASH_OF_A_FILE',
  'FURTHER_FAULTS',
];

const UPLOAD = {
  method: 'POST',
  family: 'ads',
  roles: AUDIENCE_WRITERS,
  rate: 'audience_uploads',
  parameters: {},
  body: 'bytes',
  bodyBytes: { max: UPLOAD_BYTES_MAX, problem: 'PEOPLE_TOO_LARGE' },
} as const;

/** Adds people to a custom audience, and removes people from it. @source creatives 19 */
export const uploadUsers: AccountOperation = {
  ...UPLOAD,
  id: 'custom_audiences.users',
  path: '/12/accounts/:account_id/custom_audiences/:custom_audience_id/users',
  description: 'Add people to a custom audience and remove people, by hashed identifiers; all or nothing.',
  group: 'custom_audiences',
  shape: 'one',
  request: uploadSchema(AUDIENCE_UPLOADS),
  reply: countsSchema,
  problems: ['CUSTOM_AUDIENCE_NOT_FOUND', 'ACTION_NOT_ALLOWED', ...WHOLE],
  itemProblems: [...ITEMS, 'NOT_TEXT', 'TEXT_EMPTY', 'TEXT_TOO_LONG'],
  async perform(call) {
    const { records } = await acceptUpload(call, audienceDestination(call), AUDIENCE_UPLOADS);
    return { data: counts(records) };
  },
};

/** Adds people to a do-not-reach list, and removes people from it. @source creatives 24 */
export const uploadDoNotReachUsers: AccountOperation = {
  ...UPLOAD,
  id: 'do_not_reach_lists.users',
  path: '/12/batch/accounts/:account_id/do_not_reach_lists/:do_not_reach_list_id/users',
  description: 'Add people to a do-not-reach list and remove people, by hashed e-mail or phone number; all or nothing.',
  group: 'do_not_reach_lists',
  shape: 'bare',
  request: uploadSchema(LIST_UPLOADS),
  reply: byOperationSchema,
  problems: ['NOT_FOUND', ...WHOLE],
  itemProblems: [...ITEMS, 'EXPIRES_TOO_LATE'],
  async perform(call) {
    const { operations } = await acceptUpload(call, listDestination(call), LIST_UPLOADS);
    const request = operations.map(({ operation_type, expires_at }) => ({
      operation_type,
      params: { ...call.path, expires_at },
    }));
    const data = operations.map(({ records }) => counts(records));
    return { data: `{"request":${JSON.stringify(request)},"data":[${data.join(',')}]}` };
  },
};

function counts(records: number): string {
  return `{"success_count":${records},"total_count":${records}}`;
}

function pathId(
  { path }: AccountCall,
  parameter: string,
  kind: string,
): { readonly value: string; missing(name: ProblemName): Problem } {
  const value = path[parameter]!;
  const members = { parameter, value, words: { kind } };
  checkId(value, parameter, kind);
  return { value, missing: (name) => problem(name, members) };
}

/** The audience in the path: of the account, or shared with READ_WRITE; not a flexible one. */
function audienceDestination(call: AccountCall): Destination {
  const { account } = call;
  const { value, missing } = pathId(call, 'custom_audience_id', 'Custom audience');
  return {
    subject: subjectOf('audience', value),
    async check(tx) {
      const [found] = await tx.audiences.listUsable(account.id, [value]);
      if (!found) throw missing('CUSTOM_AUDIENCE_NOT_FOUND');
      if (found.permission_level !== 'READ_WRITE' || found.audience_type === 'FLEXIBLE') {
        throw problem('ACTION_NOT_ALLOWED', { words: { account: account.id } });
      }
    },
  };
}

function listDestination(call: AccountCall): Destination {
  const { account } = call;
  const { value, missing } = pathId(call, 'do_not_reach_list_id', 'Do-not-reach list');
  const subject = subjectOf('list', value);
  return {
    subject,
    async check(tx) {
      const found = await tx.audiences.find(subject);
      if (found && !found.deleted && found.account_id === account.id) return;
      throw missing('NOT_FOUND');
    },
  };
}
