import type { Application } from '../../contract/credentials.ts';
import type { Reading, Store } from '../../contract/store.ts';
import { bearerHash, presentedForms } from './bearer-value.ts';

/** An application-only token that was issued, and how it stands. */
export interface KnownBearer {
  readonly id: string;
  readonly application: Application;
  readonly isRevoked: boolean;
}

/**
 * Application-only tokens in use. A write that touches one, or its application, makes them forgotten before the write
 * is acknowledged. What does not exist is not remembered.
 */
export interface KnownBearers {
  /** The token if it is remembered: the common case, answered at once. */
  remembered(value: string): KnownBearer | undefined;
  find(value: string): Promise<KnownBearer | undefined>;
}

const REMEMBERED_MAX = 50_000;

/** Remembers the application-only tokens that a store holds, by what was presented. */
export function knownBearers(store: Store): KnownBearers {
  const byHash = new Map<string, KnownBearer>();
  let changes = 0;
  store.onTouch((tags) => {
    if (tags !== 'everything' && ![...tags].some((tag) => /^(bearer|application|user):/.test(tag))) return;
    byHash.clear();
    changes += 1;
  });
  return {
    // By the hash, so that the values themselves are nowhere in memory.
    remembered: (value) => byHash.get(bearerHash(value)),
    async find(value) {
      const changesBefore = changes;
      const bearer = await store.read((tx) => readBearer(tx, value));
      // What changed while it was read must not be remembered as it was.
      if (bearer && changes === changesBefore) {
        if (byHash.size >= REMEMBERED_MAX) byHash.clear();
        byHash.set(bearerHash(value), bearer);
      }
      return bearer;
    },
  };
}

/** Every form is looked up, whatever the first one came to: what is unknown costs as much as what is known. */
async function readBearer(tx: Reading, value: string): Promise<KnownBearer | undefined> {
  const rows = [];
  for (const form of presentedForms(value)) rows.push(await tx.bearerTokens.findByHash(bearerHash(form)));
  const row = rows.find((each) => each !== undefined);
  const application = row && (await tx.credentials.findApplication(row.application_id));
  return application && { id: row!.id, application, isRevoked: row!.outstanding === null };
}
