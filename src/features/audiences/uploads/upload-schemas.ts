import { type Schema, Type } from '../../../base/json-schema.ts';
import type { IdentifierKind, UploadRules } from '../../../contract/store/audiences.ts';
import { OPERATIONS_MAX, PLAINTEXT_CHARACTERS_MAX } from './upload-limits.ts';

const ABOUT: Readonly<Record<IdentifierKind, string>> = {
  email: 'Trimmed, lower case.',
  phone_number: 'With plus sign and country code, digits only.',
  handle: 'Without @, lower case.',
  service_user_id: 'The numeric id of the user.',
  device_id: 'Lower case, with dashes if the device has them.',
  partner_user_id: 'Your own id, not hashed.',
};

/** JSON Schema of an upload of people. */
export function uploadSchema({ kinds, acceptsEffectiveAt }: UploadRules): Schema {
  const hashed = Type.String({ pattern: '^[0-9A-Fa-f]{64}$', description: 'SHA-256' });
  const plain = Type.String({ minLength: 1, maxLength: PLAINTEXT_CHARACTERS_MAX });
  const lists = kinds.map((kind) => {
    const each = kind === 'partner_user_id' ? plain : hashed;
    return [kind, Type.Optional(Type.Array(each, { description: ABOUT[kind] }))] as const;
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

/** Accepted and sent people; both numbers are the same. @source creatives 19.4 */
export const countsSchema = closed({ success_count: count, total_count: count });

/** The reply to an upload to a list: each operation and its result. @source creatives 24 */
export const byOperationSchema = closed({
  request: Type.Array(
    closed({
      operation_type: Type.Union([Type.Literal('Update'), Type.Literal('Delete')]),
      params: closed({
        account_id: Type.String(),
        do_not_reach_list_id: Type.String(),
        expires_at: Type.Optional(Type.String({ format: 'date-time' })),
      }),
    }),
  ),
  data: Type.Array(countsSchema),
});

function closed(members: Record<string, Schema>): Schema {
  return Type.Object(members, { additionalProperties: false });
}
