import type { UsedNonce } from '../../contract/store/nonces.ts';
import { Table } from '../core/table.ts';

/** The only row of `forgotten_nonces`. */
const ONLY = 'only';

/**
 * Used nonces in PostgreSQL, all those that wait in one statement. They are sorted, so that two processes that store the
 * same ones never wait for each other.
 */
const RESERVE = `insert into used_nonces (timestamp_s, digest)
select timestamp_s, digest from unnest($1::bigint[], $2::text[]) as given (timestamp_s, digest)
where timestamp_s > coalesce((select until_s from forgotten_nonces where id = '${ONLY}'), 0)
order by timestamp_s, digest
on conflict do nothing
returning digest`;

/** Used nonces in the database, where several processes can share them. @source decision 746 */
export class UsedNonces extends Table {
  /**
   * Stores nonces; returns the digests of those that were new. The commit of the unit is not synced to disk, unless
   * `isSynced`: it is with the next commit that is.
   */
  async reserve(
    entries: readonly UsedNonce[],
    { isSynced }: { readonly isSynced: boolean },
  ): Promise<ReadonlySet<string>> {
    if (this.session.dialect !== 'postgres') throw new Error('nonces are shared in PostgreSQL only');
    // Pipelined with the insert. @source decision 747
    const lazily = isSynced ? undefined : this.session.allRaw('set local synchronous_commit = off');
    const stored = this.session.allRaw<{ digest: string }>(RESERVE, [
      entries.map(({ timestamp }) => timestamp),
      entries.map(({ digest }) => digest),
    ]);
    await Promise.all([lazily, stored]);
    return new Set((await stored).map(({ digest }) => digest));
  }

  /** Nonces in the order of their timestamps and digests, after the given one. */
  list(after: UsedNonce, limit: number) {
    return this.session.all('used nonces after', { ...after, limit }, (db, param) =>
      db
        .selectFrom('used_nonces')
        .select(['timestamp_s as timestamp', 'digest'])
        .where('timestamp_s', '>=', param('timestamp'))
        .where((is) => is.or([is('timestamp_s', '>', param('timestamp')), is('digest', '>', param('digest'))]))
        .orderBy('timestamp_s')
        .orderBy('digest')
        .limit(param('limit')),
    );
  }

  /** From now on `reserve` takes no timestamps up to this second. */
  async forgetUntil(timestamp: number) {
    await this.session.run('nonces forgotten', { id: ONLY, timestamp }, (db, param) =>
      db
        .insertInto('forgotten_nonces')
        .values({ id: param('id'), until_s: param('timestamp') })
        .onConflict((same) =>
          same
            .column('id')
            .doUpdateSet({ until_s: param('timestamp') })
            .where('forgotten_nonces.until_s', '<', param('timestamp')),
        ),
    );
  }

  /** Removes nonces with timestamps up to this second, at most `limit`; returns their number. */
  removeUntil(timestamp: number, limit: number) {
    return this.session.run('used nonces removed', { timestamp, limit }, (db, param) =>
      db
        .deleteFrom('used_nonces')
        // A digest is of one timestamp, so that it names a nonce alone.
        .where('timestamp_s', '<=', param('timestamp'))
        .where(
          'digest',
          'in',
          db
            .selectFrom('used_nonces')
            .select('digest')
            .where('timestamp_s', '<=', param('timestamp'))
            .orderBy('timestamp_s')
            .limit(param('limit')),
        ),
    );
  }

  /** The newest timestamp of which a nonce may have been removed; 0 when none was. */
  async findForgottenUntil() {
    const found = await this.session.first('nonces forgotten until', {}, (db) =>
      db.selectFrom('forgotten_nonces').select('until_s'),
    );
    return found?.until_s ?? 0;
  }
}
