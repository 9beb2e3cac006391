import { sql } from 'kysely';
import type { Environment } from '../../contract/declare/account-state.ts';
import { Table } from '../core/table.ts';

/** Asks which values of some targeting types occur together with given values. */
interface CoOccurrenceQuery {
  readonly environment: Environment;
  /** The account whose own use of a value suffices; use by others counts only where several accounts share it. */
  readonly account: string;
  readonly types: readonly string[];
  readonly values: readonly string[];
  readonly limit: number;
}

/** Targeting values that line items have in common. @source decision 168 */
export class Suggestions extends Table {
  /**
   * Values that live line items of live accounts target together with one of `values`, except those themselves: most
   * frequent first, then in text order. Values used by only one other account are not disclosed.
   */
  async listCoOccurring({ environment, account, types, values, limit }: CoOccurrenceQuery) {
    const shape = `targeting together ${types.length} ${values.length}`;
    const args = { environment, account, limit, types, values };
    return (
      await this.session.all(shape, args, (db, param) => {
        const [oneOfTypes, oneOfValues] = [param.list('types', types.length), param.list('values', values.length)];
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
          .where('asked.targeting_type', 'in', oneOfTypes)
          .where('beside.targeting_type', 'in', oneOfTypes)
          .where('asked.targeting_value', 'in', oneOfValues)
          .where('beside.targeting_value', 'not in', oneOfValues)
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
      })
    ).map((row) => row.value);
  }
}
