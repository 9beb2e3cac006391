import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { ConstraintViolated } from '../../../contract/store/errors.ts';
import type { BearerToken, Outstanding, OutstandingBearers } from '../../../contract/store/grants.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { StoreCache } from '../store-cache.ts';
import { bearerHash, makeBearerValue } from './bearer-value.ts';

/** The dependencies of issuing. `secrets` is cryptographically secure, also in development. */
export interface BearerDeps {
  readonly store: Store;
  readonly box: SecretBox;
  readonly secrets: Random;
}

/** An attempt fails when another caller's token was added, and revoked before it could be read. */
const ATTEMPTS_MAX = 10;

/**
 * The outstanding tokens of applications, cached. When several callers issue at the same time, a unique constraint
 * admits one, and the others read the token that it issued.
 * @source authentication 0.8, 10.1
 */
export function bearerTokens(issuer: BearerDeps): OutstandingBearers {
  const { store, box } = issuer;
  const known = new StoreCache<Outstanding>(store, ['bearer', 'application']);
  const find = async (application: string): Promise<Outstanding | undefined> => {
    const bearer = await store.read((tx) => tx.bearerTokens.findOutstanding(application));
    return bearer && { id: bearer.id, value: unsealBearer(bearer, box), isNew: false };
  };
  return async (application, now, record) => {
    for (let attempt = 1; ; attempt++) {
      const bearer = known.get(application) ?? (await known.load(application, () => find(application)));
      if (bearer) return bearer;
      try {
        return await store.write(async (tx) => {
          const issued = await findOrIssueBearer(tx, issuer, application, now);
          if (issued.isNew) await record?.(tx, issued.id);
          return issued;
        });
      } catch (error) {
        if (!(error instanceof ConstraintViolated) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  };
}

/** The value of a stored token. */
export function unsealBearer(bearer: BearerToken, box: SecretBox): string {
  return box.open(bearer.token, secretContext.bearer(bearer.id));
}

/** The outstanding token of an application; issues one if there is none. */
export async function findOrIssueBearer(
  tx: WriteTransaction,
  { box, secrets }: Pick<BearerDeps, 'box' | 'secrets'>,
  application: string,
  now: string,
): Promise<Outstanding> {
  const known = await tx.bearerTokens.findOutstanding(application);
  if (known) return { id: known.id, value: unsealBearer(known, box), isNew: false };
  const id = String(await tx.takeNumbers('bearer_token', 1, 1));
  const value = makeBearerValue(secrets);
  await tx.bearerTokens.add({
    id,
    application_id: application,
    token_hash: bearerHash(value),
    token: box.seal(value, secretContext.bearer(id)),
    outstanding: 1,
    created_at: now,
    revoked_at: null,
  });
  tx.invalidate(`bearer:${id}`);
  return { id, value, isNew: true };
}
