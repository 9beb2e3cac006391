import { sql } from 'kysely';
import type { Suggestions } from '../../contract/store/suggestions.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

/** What line items have in common. */
export function suggestionsOn(session: Session): Suggestions {
  const { statements } = session;
  return {
    async listCoOccurring({ environment, account, types, values, limit }) {
      const shape = `targeting together ${types.length} ${values.length}`;
      const statement = statements.cached(shape, (db, param) => {
        const listed = (name: string, items: readonly string[]) => items.map((_, index) => param(`${name}${index}`));
        const lineItems = sql`count(distinct beside.line_item_id)`;
        const accounts = sql`count(distinct beside.account_id)`;
        const isOwn = sql`max(case when beside.account_id = ${param('account')} then 1 else 0 end)`;
        return db
          .selectFrom('targeting_criteria as asked')
          .innerJoin('targeting_criteria as beside', (join) =>
            join
              .onRef('beside.account_id', '=', 'asked.account_id')
              .onRef('beside.line_item_id', '=', 'asked.line_item_id'),
          )
          .innerJoin('accounts', 'accounts.id', 'asked.account_id')
          .innerJoin('line_items', (join) =>
            join
              .onRef('line_items.account_id', '=', 'asked.account_id')
              .onRef('line_items.id', '=', 'asked.line_item_id'),
          )
          .select('beside.targeting_value as value')
          .where('asked.targeting_type', 'in', listed('type', types))
          .where('beside.targeting_type', 'in', listed('type', types))
          .where('asked.targeting_value', 'in', listed('value', values))
          .where('beside.targeting_value', 'not in', listed('value', values))
          .where('asked.operator_type', '=', 'EQ')
          .where('beside.operator_type', '=', 'EQ')
          .where('asked.deleted', '=', 0)
          .where('beside.deleted', '=', 0)
          .where('line_items.deleted', '=', 0)
          .where('accounts.deleted', '=', 0)
          .where('accounts.environment', '=', param('environment'))
          .groupBy('beside.targeting_value')
          .having(sql<boolean>`${isOwn} = 1 or ${accounts} > 1`)
          .orderBy(lineItems, 'desc')
          .orderBy('beside.targeting_value')
          .limit(param('limit'));
      });
      const args: Record<string, Value> = { environment, account, limit };
      for (const [index, type] of types.entries()) args[`type${index}`] = type;
      for (const [index, value] of values.entries()) args[`value${index}`] = value;
      return (await session.all(statement, args)).map((row) => row.value);
    },
  };
}
