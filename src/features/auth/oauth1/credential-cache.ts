import type { HmacKey } from '../../../base/hmac.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Principal } from '../../../contract/declare/operation.ts';
import type { AccessToken, Application, User } from '../../../contract/store/credentials.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../contract/store/store.ts';
import { storeCache } from '../store-cache.ts';
import { dayNumber } from './last-use-recorder.ts';
import { signingKey } from './signature.ts';

/** An access token of a user, with the prepared key that verifies its signatures. */
export interface Credential {
  readonly consumerKey: string;
  readonly key: HmacKey;
  readonly principal: Principal;
  readonly revoked: boolean;
  /** The stored day of the last use, in days since 1970. */
  lastUseDay: number;
  readonly applicationSuspended: boolean;
  readonly userSuspended: boolean;
  readonly userLocked: boolean;
}

/** The result of looking up a consumer key and a token. */
export type CredentialLookup =
  | { readonly found: 'credential'; readonly credential: Credential }
  | { readonly found: 'application'; readonly consumerSecret: string }
  /** With a dummy secret, so that verifying takes as long. */
  | { readonly found: 'nothing'; readonly consumerSecret: string };

/** A cache of credentials in use, with decrypted secrets. */
export interface CredentialCache {
  /** The credential if it is cached: the common case, without waiting. */
  cached(consumerKey: string, token: string): Credential | undefined;
  find(consumerKey: string, token: string): Promise<CredentialLookup>;
}

const NOBODY = 'nobody';

/** Caches the credentials of a store. Looking up an unknown one takes as long as a known one. @source decision 93 */
export function credentialCache(store: Store, box: SecretBox): CredentialCache {
  // As long as a real secret, so that decrypting it takes as long.
  const nobody = box.seal('0'.repeat(50), NOBODY);
  const byToken = storeCache<Credential>(store, ['token', 'application', 'user']);
  return {
    cached(consumerKey, token) {
      const credential = byToken.get(token);
      return credential?.consumerKey === consumerKey ? credential : undefined;
    },
    async find(consumerKey, token) {
      let lookup: CredentialLookup | undefined;
      await byToken.getOrLoad(token, async () => {
        lookup = lookUp(await readRows(store, consumerKey, token));
        return lookup.found === 'credential' ? lookup.credential : undefined;
      });
      return lookup!;
    },
  };

  function lookUp({ application, token, user }: Rows): CredentialLookup {
    const isWhole = token !== undefined && user !== undefined;
    if (!isWhole) box.open(nobody, NOBODY);
    if (!application) return { found: 'nothing', consumerSecret: box.open(nobody, NOBODY) };
    const consumerSecret = box.open(application.consumer_secret, secretContext.application(application.id));
    if (!isWhole) return { found: 'application', consumerSecret };
    return { found: 'credential', credential: makeCredential(application, consumerSecret, token, user, box) };
  }
}

interface Rows {
  readonly application: Application | undefined;
  readonly token: AccessToken | undefined;
  readonly user: User | undefined;
}

async function readRows(store: Store, consumerKey: string, token: string): Promise<Rows> {
  return store.read(async (tx) => {
    const application = await tx.credentials.findApplicationByKey(consumerKey);
    const found = await tx.credentials.findToken(token);
    const own = found && application && found.application_id === application.id ? found : undefined;
    return { application, token: own, user: await tx.credentials.findUser(own?.user_id ?? '') };
  });
}

function makeCredential(
  application: Application,
  consumerSecret: string,
  token: AccessToken,
  user: User,
  box: SecretBox,
): Credential {
  return {
    consumerKey: application.consumer_key,
    key: signingKey(consumerSecret, box.open(token.token_secret, secretContext.token(token.id))),
    principal: {
      kind: 'user',
      user: user.id,
      application: application.id,
      tokenId: token.id,
      token: token.token,
      level: token.access_level,
      applicationLevel: application.access_level,
    },
    revoked: token.revoked_at !== null,
    lastUseDay: dayNumber(token.last_used_at),
    applicationSuspended: application.suspended === 1,
    userSuspended: user.suspended === 1,
    userLocked: user.locked === 1,
  };
}
