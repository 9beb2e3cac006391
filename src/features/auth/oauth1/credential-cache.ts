import type { HmacKey } from '../../../base/hmac.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Principal } from '../../../contract/declare/callers.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { StoreCache } from '../store-cache.ts';
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

const NOBODY = 'nobody';
const DAY_S = 86_400;

/** Caches the credentials of a store, with decrypted secrets. */
export class CredentialCache {
  readonly #store: Store;
  readonly #box: SecretBox;
  /** As long as a real secret, so that decrypting it takes as long. */
  readonly #nobody: string;
  readonly #byToken: StoreCache<Credential>;

  constructor(store: Store, box: SecretBox) {
    this.#store = store;
    this.#box = box;
    this.#nobody = box.seal('0'.repeat(50), NOBODY);
    this.#byToken = new StoreCache(store, ['token', 'application', 'user']);
  }

  /** The credential if it is cached: the common case, without waiting. */
  cached(consumerKey: string, token: string): Credential | undefined {
    const credential = this.#byToken.get(token);
    return credential?.consumerKey === consumerKey ? credential : undefined;
  }

  /** Reads a credential from the store. An unknown one takes as long as a known one. @source decision 93 */
  async find(consumerKey: string, token: string): Promise<CredentialLookup> {
    let lookup: CredentialLookup | undefined;
    await this.#byToken.load(token, async () => {
      lookup = await this.#lookUp(consumerKey, token);
      return lookup.found === 'credential' ? lookup.credential : undefined;
    });
    return lookup!;
  }

  async #lookUp(consumerKey: string, text: string): Promise<CredentialLookup> {
    const { application, token, user } = await this.#store.read(async (tx) => {
      const application = await tx.credentials.findApplicationByKey(consumerKey);
      const found = await tx.credentials.findToken(text);
      const token = found && found.application_id === application?.id ? found : undefined;
      return { application, token, user: await tx.credentials.findUser(token?.user_id ?? '') };
    });
    const tokenSecret =
      token && user
        ? this.#box.open(token.token_secret, secretContext.token(token.id))
        : this.#box.open(this.#nobody, NOBODY);
    if (!application) return { found: 'nothing', consumerSecret: this.#box.open(this.#nobody, NOBODY) };
    const consumerSecret = this.#box.open(application.consumer_secret, secretContext.application(application.id));
    if (!token || !user) return { found: 'application', consumerSecret };
    const credential: Credential = {
      consumerKey: application.consumer_key,
      key: signingKey(consumerSecret, tokenSecret),
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
    return { found: 'credential', credential };
  }
}

/**
 * Records the day on which tokens are used, so that users can see which access is idle. Writes in batches and in the
 * background: no request waits for it.
 * @source decision 103
 */
export class LastUseRecorder {
  readonly #store: Store;
  #waiting: string[] = [];
  #waitingDay = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Does nothing but a comparison, except for the first use of a day. */
  record(credential: Credential, now_s: number): void {
    const day = Math.floor(now_s / DAY_S);
    if (credential.lastUseDay === day) return;
    credential.lastUseDay = day;
    if (this.#waiting.length > 0 && this.#waitingDay !== day) this.#flush();
    this.#waitingDay = day;
    if (this.#waiting.push(credential.principal.tokenId) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const ids = this.#waiting;
    const day = formatInstant(this.#waitingDay * DAY_S * 1000).slice(0, 10);
    this.#waiting = [];
    // After a failure, the use is recorded when the token is next read from the store, or the next day.
    this.#store.write((tx) => tx.credentials.recordUse(ids, day)).catch(() => undefined);
  }
}

/** The day of a stored use, in days since 1970; 0 for none. */
function dayNumber(lastUsed: string | null): number {
  return lastUsed === null ? 0 : Date.parse(lastUsed) / (DAY_S * 1000);
}
