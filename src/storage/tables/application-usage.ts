import { sql } from 'kysely';
import { allListed, inList } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';

/** The primary key of `application_usage`. */
export const USAGE_KEY = ['application_id', 'hour', 'operation', 'status', 'problem'] as const;

/** The number of calls of an application with one outcome. */
export interface UsageCount {
  readonly application_id: string;
  /** The id of an operation. */
  readonly operation: string;
  /** The HTTP status of the replies. */
  readonly status: number;
  /** The name of the first problem; empty where there was none. */
  readonly problem: string;
  readonly calls: number;
}

/** The same for one hour. */
export interface HourlyUsage extends UsageCount {
  /** The start of the hour as UTC text. */
  readonly hour: string;
}

/** The calls of applications by hour. */
export class ApplicationUsage extends Table {
  /** Adds to the stored counts. */
  async add(counts: readonly HourlyUsage[]) {
    // In key order, so that two servers that add at the same time do not deadlock.
    for (const count of counts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
      await this.session.run('application usage add', { ...count }, (db, param) =>
        db
          .insertInto('application_usage')
          .values({
            application_id: param('application_id'),
            hour: param('hour'),
            operation: param('operation'),
            status: param('status'),
            problem: param('problem'),
            calls: param('calls'),
          })
          .onConflict((conflict) =>
            conflict.columns([...USAGE_KEY]).doUpdateSet({
              calls: sql<number>`${sql.ref('application_usage.calls')} + ${sql.ref('excluded.calls')}`,
            }),
          ),
      );
    }
  }

  /** Sums of calls since the start of an hour, most frequent first. */
  async listSince(applications: readonly string[], hour: string, limit: number): Promise<UsageCount[]> {
    const rows = await allListed(
      this.session,
      'application usage',
      applications,
      { hour, limit },
      (db, applications, param) =>
        db
          .selectFrom('application_usage')
          .select(['application_id', 'operation', 'status', 'problem'])
          .select(({ fn }) => fn.sum<number>('calls').as('calls'))
          .where((eb) => inList(eb, 'application_id', applications))
          .where('hour', '>=', param('hour'))
          .groupBy(['application_id', 'operation', 'status', 'problem'])
          .orderBy('calls', 'desc')
          .orderBy('application_id')
          .orderBy('operation')
          .orderBy('status')
          .orderBy('problem')
          .limit(param('limit')),
    );
    // PostgreSQL returns sums as text.
    return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
  }
}

const keyOf = (count: { readonly [name in (typeof USAGE_KEY)[number]]: string | number }): string =>
  USAGE_KEY.map((name) => count[name]).join(' ');
