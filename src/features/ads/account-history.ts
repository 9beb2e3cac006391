import { Type } from '../../base/json-schema.ts';
import { startOfDay } from '../../base/zones.ts';
import type { AccountState } from '../../contract/declare/account-state.ts';
import { type Field, field, id, instant, integer, oneOf } from '../../contract/declare/fields.ts';
import type { AccountOperation, Input } from '../../contract/declare/operation.ts';
import { CAMPAIGN_READERS } from '../../contract/declare/roles.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import type { AccountHistoryRow } from '../../storage/tables/account-history.ts';
import { cursorParameter, cutPage, readTimeCursor } from './time-cursor.ts';

const COUNT_DEFAULT = 200;
const string = Type.String();

/**
 * Lists the changes of one entity, newest first.
 * @source advertising 2; campaigns 5.4; decision 54
 */
export const accountHistory: AccountOperation = {
  id: 'account_history.list',
  method: 'GET',
  path: '/12/accounts/:account_id/account_history',
  description: 'List the changes of one entity, newest first.',
  group: 'account_history',
  family: 'ads',
  roles: CAMPAIGN_READERS,
  rate: 'reads',
  parameters: {
    entity_type: oneOf('CAMPAIGN', 'LINE_ITEM', 'PROMOTED_POST', 'TARGETING_CRITERIA', 'PROMOTED_ACCOUNT')
      .required()
      .describe('Entity type.'),
    entity_id: id().required().describe('Entity id.'),
    start_time: hour().describe(
      'Start of the range, on the hour, inclusive; a date means midnight in the time zone of the account.',
    ),
    end_time: hour().describe(
      'End of the range, on the hour, exclusive; a date means midnight in the time zone of the account.',
    ),
    user_id: id().describe('Only changes made by this user.'),
    count: integer({ min: 1, max: 1000 }).describe(`Page size; default ${COUNT_DEFAULT}.`),
    cursor: cursorParameter,
  },
  body: 'form',
  shape: 'list',
  reply: Type.Array(
    Type.Closed({
      change_by: Type.Closed({ user_id: string, platform: string }),
      changes: Type.Record(string, Type.Closed({ old: Type.Unknown(), new: Type.Unknown() })),
      change_time: string,
      entity_id: string,
      entity: string,
      // The members depend on the entity type.
      entity_data: Type.Record(string, Type.Unknown()),
      change_type: Type.Union([Type.Literal('CREATE'), Type.Literal('UPDATE'), Type.Literal('DELETE')]),
    }),
  ),
  problems: ['CURSOR_INVALID', 'NOT_AFTER'],
  validate: checkTimes,
  async perform(call) {
    const { input } = call;
    const count = Number(input.count ?? COUNT_DEFAULT);
    const query = {
      account: call.account.id,
      entity: String(input.entity_type),
      entityId: String(input.entity_id),
      user: optional(input.user_id),
      from: bound(input.start_time, call.account),
      until: bound(input.end_time, call.account),
    };
    const list = JSON.stringify(query);
    const after = readTimeCursor(input.cursor, list);
    const found = await call.services.store.read((tx) =>
      tx.accountHistory.page({ ...query, after: after && { change_time: after[0], id: after[1] }, limit: count + 1 }),
    );
    const { rows, nextCursor } = cutPage(found, count, ({ change_time }) => change_time, list);
    return { data: `[${rows.map(changeJson).join(',')}]`, nextCursor };
  },
};

function optional(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/**
 * An instant on the hour, or a date, which means midnight in the time zone of the account.
 * @source campaigns 1.2 and 5.4; decision 53
 */
function hour(): Field<string> {
  const { kind } = instant();
  return field<string>({
    ...kind,
    schema: Type.Union([kind.schema, Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })]),
    problems: [...kind.problems, 'FRACTIONAL_HOUR'],
    read(raw, parameter) {
      const read = kind.read(raw, parameter);
      if (typeof read !== 'string') return read;
      if (String(raw).length === DATE_LENGTH) return String(raw);
      return read.endsWith(':00:00Z') ? read : { problem: 'FRACTIONAL_HOUR', parameter };
    },
  });
}

const DATE_LENGTH = 'YYYY-MM-DD'.length;

function bound(value: unknown, account: AccountState): string | undefined {
  const text = optional(value);
  return text?.length === DATE_LENGTH ? startOfDay(text, account.timezone) : text;
}

function checkTimes(input: Input, account: AccountState): readonly ErrorDetail[] {
  const [from, until] = [bound(input.start_time, account), bound(input.end_time, account)];
  if (from === undefined || until === undefined || until > from) return [];
  return [{ problem: 'NOT_AFTER', parameter: 'end_time', words: { other: 'start_time' } }];
}

function changeJson(row: AccountHistoryRow): string {
  const by = `{"user_id":"${row.user_id}","platform":"${row.platform}"}`;
  return (
    `{"change_by":${by},"changes":${row.changes},"change_time":"${row.change_time}","entity_id":"${row.entity_id}",` +
    `"entity":"${row.entity}","entity_data":${row.entity_data},"change_type":"${row.change_type}"}`
  );
}
