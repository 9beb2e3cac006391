import { type Expression, type ExpressionBuilder, sql } from 'kysely';
import type { Backlog, Job, PlannedJob } from '../../contract/store/jobs.ts';
import type { Database } from '../core/database.ts';
import { databaseTime } from '../core/database-time.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import { isOrphaned } from '../core/orphans.ts';
import type { Db, Param } from '../core/statements.ts';
import { Table } from '../core/table.ts';
import { deleteRows, findRow, updateRows } from '../core/table-rows.ts';

type Leased = Pick<Job, 'kind' | 'key'> & { readonly lease: string | null };
type JobsBuilder = ExpressionBuilder<Database, 'jobs'>;

const FREE = { lease: null, leased_until: null, node: null };

/** Options for leasing due jobs. */
interface DueJobs {
  readonly kinds: readonly string[];
  /** The service time, by which jobs are due. */
  readonly now: string;
  readonly lease: string;
  /** The node that holds the lease. */
  readonly node: string;
  /** How long the lease lasts, by the clock of the database. */
  readonly lease_s: number;
  readonly max: number;
}

/** The result of renewing leases; jobs in neither list have lost theirs. */
export interface Renewal {
  readonly renewed: readonly Job[];
  /** Still held when the unit of work that is changing them began. */
  readonly changing: readonly Job[];
}

/** Jobs. A leased job is not taken by another worker until the lease ends. @source decision 182, 183 */
export class Jobs extends Table {
  /** Plans a job. One already planned under its key is rescheduled; a running worker loses its lease. */
  async plan({ kind, key, run_at }: PlannedJob) {
    await this.session.run('jobs plan', { kind, key, run_at }, (db, param) =>
      db
        .insertInto('jobs')
        .values({ kind: param('kind'), key: param('key'), run_at: param('run_at'), attempts: sql.lit(0) })
        .onConflict((conflict) =>
          conflict.columns(['kind', 'key']).doUpdateSet({
            run_at: param('run_at'),
            attempts: sql.lit(0),
            ...FREE,
          }),
        ),
    );
  }

  /**
   * Plans a job unless it is already planned for the same time or earlier. A running job is left to its worker, which
   * must check for new work after it ends the job; it cannot end it before this unit ends.
   */
  async planNoLaterThan({ kind, key, run_at }: PlannedJob) {
    await this.session.run('jobs plan by', { kind, key, run_at }, (db, param) =>
      db
        .insertInto('jobs')
        .values({ kind: param('kind'), key: param('key'), run_at: param('run_at'), attempts: sql.lit(0) })
        .onConflict((conflict) =>
          conflict.columns(['kind', 'key']).doUpdateSet({
            run_at: sql<string>`case when jobs.lease is null and excluded.run_at < jobs.run_at
                then excluded.run_at else jobs.run_at end`,
          }),
        ),
    );
  }

  /** Cancels a job, if it exists. */
  async cancel(kind: string, key: string) {
    await deleteRows(this.session, 'jobs', { kind, key });
  }

  /** Leases up to `max` due jobs of these kinds that are free, longest waiting first. */
  async take({ kinds, now, lease, node, lease_s, max }: DueJobs): Promise<Job[]> {
    const due = await allListed(this.session, 'jobs due', kinds, { now, max }, (db, listed, param) => {
      const first = this.#free(db, param)
        .where(this.#isOfKind(listed))
        .selectAll()
        .orderBy('run_at')
        .orderBy('kind')
        .orderBy('key')
        .limit(param('max'));
      return this.session.dialect === 'postgres' ? first.forUpdate().skipLocked() : first;
    });
    const taken: Job[] = [];
    for (const { kind, key, run_at, attempts } of due) {
      await this.session.run('jobs take', { lease, node, lease_s, kind, key }, (db, param) =>
        db
          .updateTable('jobs')
          .set({
            lease: param('lease'),
            node: param('node'),
            leased_until: this.#time(param('lease_s')),
            attempts: sql<number>`attempts + 1`,
          })
          .where('kind', '=', param('kind'))
          .where('key', '=', param('key')),
      );
      taken.push({ kind, key, run_at, lease, attempts: attempts + 1 });
    }
    return taken;
  }

  /** Ends a job; returns false when the lease was lost, and then nothing done for the job may be stored. @source decision 183 */
  async finish({ kind, key, lease }: Job) {
    return (await deleteRows(this.session, 'jobs', { kind, key, lease })) === 1;
  }

  /** Returns a job, to run at a time. */
  async release({ kind, key, lease }: Job, run_at: string) {
    await updateRows(this.session, 'jobs', { run_at, ...FREE }, { kind, key, lease });
  }

  /** Frees all jobs of ended nodes; returns their number. @source decision 289, 752 */
  releaseOrphaned() {
    return this.session.run('jobs free orphaned', {}, (db) =>
      db.updateTable('jobs').set(FREE).where('lease', 'is not', null).where(isOrphaned('jobs')),
    );
  }

  /** Frees all jobs under a lease. */
  async releaseLease(lease: string) {
    await updateRows(this.session, 'jobs', FREE, { lease });
  }

  /**
   * Extends the leases of jobs to this long from now, except those that another unit of work is just changing, such as
   * the one that ends the job.
   */
  async renew(jobs: readonly Job[], lease_s: number): Promise<Renewal> {
    // Heartbeats use the same connection: it must wait for no unit of work. @source decision 801
    const free = this.session.dialect === 'postgres' ? await this.#held(jobs, 'free') : jobs;
    const rows = padded(free);
    if (rows.length === 0) return { renewed: [], changing: await this.#held(jobs, 'any') };
    const found = await this.session.all(`jobs renew ${rows.length}`, { lease_s, jobs: rows }, (db, param) =>
      db
        .updateTable('jobs')
        .set({ leased_until: this.#time(param('lease_s')) })
        .where(isOneOf(rows.length, param))
        .returning(['kind', 'key', 'lease']),
    );
    const renewed = among(jobs, found);
    if (this.session.dialect === 'sqlite' || renewed.length === jobs.length) return { renewed, changing: [] };
    const others = jobs.filter((job) => !renewed.includes(job));
    return { renewed, changing: await this.#held(others, 'any') };
  }

  /**
   * Makes free jobs of these kinds due that wait for a time after `after`, when the clock was set back; returns how many.
   * @source decision 612
   */
  async bringForward(kinds: readonly string[], now: string, after: string) {
    if (kinds.length === 0) return 0;
    const size = paddedSize(kinds.length);
    return this.session.run(`jobs bring forward ${size}`, { now, after, kinds }, (db, param) =>
      db
        .updateTable('jobs')
        .set({ run_at: param('now') })
        .where((eb) => inList(eb, 'kind', param.list('kinds', size)))
        .where('run_at', '>', param('after'))
        .where('lease', 'is', null),
    );
  }

  /** Whether a job of these kinds is due and free. */
  async hasDue(kinds: readonly string[], now: string) {
    const found = await allListed(this.session, 'jobs has due', kinds, { now }, (db, listed, param) =>
      this.#free(db, param).where(this.#isOfKind(listed)).select('kind').limit(sql.lit(1)),
    );
    return found.length > 0;
  }

  /** The next free job of these kinds, by time, then kind and key. */
  async findNext(kinds: readonly string[]): Promise<PlannedJob | undefined> {
    const [next] = await allListed(this.session, 'jobs next', kinds, {}, (db, listed) =>
      db
        .selectFrom('jobs')
        .where((eb) => this.#isFree(eb))
        .where(this.#isOfKind(listed))
        .select(['kind', 'key', 'run_at'])
        .orderBy('run_at')
        .orderBy('kind')
        .orderBy('key')
        .limit(sql.lit(1)),
    );
    return next;
  }

  /** The due jobs, by kind. */
  async listBacklogs(now: string): Promise<Backlog[]> {
    return (
      await this.session.all('jobs backlogs', { now }, (db, param) =>
        db
          .selectFrom('jobs')
          .where('run_at', '<=', param('now'))
          .groupBy('kind')
          .select(['kind', sql<number>`count(*)`.as('count'), sql<string>`min(run_at)`.as('since')]),
      )
    ).map((each) => ({ ...each, count: Number(each.count) }));
  }

  /** When a job is due; undefined when it does not exist. */
  async find(kind: string, key: string) {
    return (await findRow(this.session, 'jobs', { kind, key }))?.run_at;
  }

  #time(plus_s: number | Expression<number>) {
    return databaseTime(this.session.dialect, plus_s);
  }

  /** Jobs are due by the clock of the service, and leased by that of the database. @source decision 750 */
  #isFree(eb: JobsBuilder) {
    return eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', this.#time(sql.lit(0)))]);
  }

  #free(db: Db, param: Param<{ readonly now: string }>) {
    return db
      .selectFrom('jobs')
      .where('run_at', '<=', param('now'))
      .where((eb) => this.#isFree(eb));
  }

  /**
   * Whether a due job is of these kinds. Few jobs are due and many may wait: SQLite would read all of these kinds, unless
   * the plus keeps it from looking for the column.
   */
  #isOfKind(kinds: readonly string[]) {
    return this.session.dialect === 'sqlite'
      ? sql<boolean>`+${sql.ref('kind')} in (${sql.join(kinds)})`
      : sql<boolean>`${sql.ref('kind')} in (${sql.join(kinds)})`;
  }

  /** The jobs whose lease is held: any, or only those that no other unit of work is changing, which are locked. */
  async #held(jobs: readonly Job[], which: 'any' | 'free'): Promise<readonly Job[]> {
    const rows = padded(jobs);
    if (rows.length === 0) return [];
    const found = await this.session.all(`jobs held ${which} ${rows.length}`, { jobs: rows }, (db, param) => {
      const leased = db.selectFrom('jobs').where(isOneOf(rows.length, param)).select(['kind', 'key', 'lease']);
      return which === 'free' ? leased.forUpdate().skipLocked() : leased;
    });
    return among(jobs, found);
  }
}

/** The primary key finds each: the table may be long. */
function isOneOf(size: number, param: Param<{ readonly jobs: readonly Leased[] }>) {
  return (eb: JobsBuilder) =>
    eb.or(
      Array.from({ length: size }, (_, index) =>
        eb.and([
          eb('kind', '=', param.cell('jobs', index, 'kind')),
          eb('key', '=', param.cell('jobs', index, 'key')),
          eb('lease', '=', param.cell('jobs', index, 'lease')),
        ]),
      ),
    );
}

const idOf = ({ kind, key, lease }: Leased): string => JSON.stringify([kind, key, lease]);

/** The jobs that were found. */
function among(jobs: readonly Job[], found: readonly Leased[]): Job[] {
  const ids = new Set(found.map(idOf));
  return jobs.filter((job) => ids.has(idOf(job)));
}

/** Leases as arguments, with the first one repeated up to one of a few lengths. */
function padded(jobs: readonly Job[]): Leased[] {
  if (jobs.length === 0) return [];
  return Array.from({ length: paddedSize(jobs.length) }, (_, index) => {
    const { kind, key, lease } = jobs[index] ?? jobs[0]!;
    return { kind, key, lease };
  });
}
