import Type from 'typebox';
import { decodeCursor, encodeCursor } from '../base/cursor.ts';
import type { ChangeRow } from '../contract/changes.ts';
import { id, instant, integer, oneOf, text } from '../contract/fields.ts';
import type { Given, Operation } from '../contract/operation.ts';
import { type Fault, problem } from '../contract/problems.ts';
import { CAMPAIGN_READERS } from '../contract/roles.ts';

const COUNT_DEFAULT = 200;

/**
 * The changes of one entity, newest first.
 * @source advertising: Accounts; campaigns 5.4
 */
export const accountHistory: Operation = {
  id: 'account_history.list',
  method: 'GET',
  path: '/12/accounts/:account_id/account_history',
  about: 'The changes of one entity of the account, newest first.',
  group: 'account_history',
  family: 'ads',
  roles: CAMPAIGN_READERS,
  rate: 'reads',
  parameters: {
    entity_type: oneOf('CAMPAIGN', 'LINE_ITEM', 'PROMOTED_POST', 'TARGETING_CRITERIA', 'PROMOTED_ACCOUNT')
      .required()
      .says('The kind of entity.'),
    entity_id: id().required().says('The entity.'),
    start_time: instant().says('From this whole hour on.'),
    end_time: instant().says('Up to this whole hour, which is not included.'),
    user_id: id().says('Only changes by this user.'),
    count: integer({ min: 1, max: 1000 }).says(`Changes a page; ${COUNT_DEFAULT} when not given.`),
    cursor: text({ max: 2000 }).says('Continues from a `next_cursor`.'),
  },
  body: 'form',
  shape: 'list',
  reply: Type.Array(
    Type.Object(
      {
        change_by: Type.Object({ user_id: Type.String(), platform: Type.String() }, { additionalProperties: false }),
        changes: Type.Record(Type.String(), Type.Object({ old: Type.Unknown(), new: Type.Unknown() })),
        change_time: Type.String(),
        entity_id: Type.String(),
        entity: Type.String(),
        entity_data: Type.Object({}),
        change_type: Type.Union([Type.Literal('CREATE'), Type.Literal('UPDATE'), Type.Literal('DELETE')]),
      },
      { additionalProperties: false },
    ),
  ),
  problems: ['CURSOR_INVALID', 'FRACTIONAL_HOUR', 'NOT_AFTER'],
  check: checkTimes,
  async perform(call) {
    const { given } = call;
    const count = Number(given.count ?? COUNT_DEFAULT);
    const asked = {
      account: call.account!.id,
      entity: String(given.entity_type),
      entityId: String(given.entity_id),
      user: optional(given.user_id),
      from: optional(given.start_time),
      until: optional(given.end_time),
    };
    const list = JSON.stringify(asked);
    const after = readCursor(given.cursor, list);
    const found = await call.services.store.read((tx) => tx.changes.page({ ...asked, after, limit: count + 1 }));
    const rows = found.slice(0, count);
    const last = found.length > count ? rows.at(-1) : undefined;
    return {
      data: `[${rows.map(presentChange).join(',')}]`,
      nextCursor: last ? encodeCursor({ after: [last.change_time, last.id] }, list) : null,
    };
  },
};

function optional(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

function checkTimes(given: Given): readonly Fault[] {
  const faults: Fault[] = [];
  for (const parameter of ['start_time', 'end_time']) {
    const value = optional(given[parameter]);
    if (value !== undefined && !value.endsWith(':00:00Z')) faults.push({ problem: 'FRACTIONAL_HOUR', parameter });
  }
  const [from, until] = [optional(given.start_time), optional(given.end_time)];
  if (from !== undefined && until !== undefined && until <= from) {
    faults.push({ problem: 'NOT_AFTER', parameter: 'end_time', words: { other: 'start_time' } });
  }
  return faults;
}

function readCursor(cursor: unknown, list: string): { change_time: string; id: string } | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const [time, id] = decodeCursor(String(cursor), list, 2)?.after ?? [];
  if (typeof time === 'string' && typeof id === 'string') return { change_time: time, id };
  throw problem('CURSOR_INVALID', { parameter: 'cursor', words: { raw: String(cursor) } });
}

function presentChange(row: ChangeRow): string {
  const by = `{"user_id":"${row.user_id}","platform":"${row.platform}"}`;
  return (
    `{"change_by":${by},"changes":${row.changes},"change_time":"${row.change_time}","entity_id":"${row.entity_id}",` +
    `"entity":"${row.entity}","entity_data":${row.entity_data},"change_type":"${row.change_type}"}`
  );
}
