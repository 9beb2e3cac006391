import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { ACCESS_LEVELS, type AccessLevel, type Application } from '../../../contract/store/credentials.ts';
import type { LoginSettings, RequestToken } from '../../../contract/store/grants.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store, WriteTransaction } from '../../../contract/store/store.ts';
import { expiryFrom, nextState, stateAt } from './request-token-states.ts';
import { makeVerifier, verifierHash } from './verifier.ts';

/** The decision of a user on a request token. */
export type GrantDecision = { readonly verifier: string } | { readonly denied: true };

/** Decisions of users on request tokens, as pages make them. */
export interface Grants {
  /** A request token that is not yet decided on, and its application; undefined for all others. */
  find(token: string): Promise<{ requestToken: RequestToken; application: Application } | undefined>;
  /**
   * Approves a request token for a user. The verifier is a PIN of 7 digits where there is no callback. `record` runs in
   * the same unit of work.
   * @returns undefined when the token has expired or is decided on already.
   */
  approve(
    requestToken: RequestToken,
    user: string,
    record?: (tx: WriteTransaction) => Promise<void>,
  ): Promise<{ verifier: string } | undefined>;
  /** From now on only a user who logs in for this request token may approve it. @source decision 507 */
  forceLogin(requestToken: RequestToken): Promise<void>;
  /** Denies a request token; false when it has expired or is decided on already. */
  deny(requestToken: RequestToken, record?: (tx: WriteTransaction) => Promise<void>): Promise<boolean>;
  /** Whether a user has granted an application this access level or a higher one, and not withdrawn it. */
  isGranted(application: string, user: string, level: AccessLevel): Promise<boolean>;
  /** The callback with the decision appended to its query. Not for `oob`. */
  callbackUrlFor(requestToken: RequestToken, answer: GrantDecision): string;
}

/** Creates the decisions on request tokens over a store. @source authentication gaps 6.4 and 8 */
export function grants(parts: {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Cryptographically secure, also in development. */
  readonly random: Random;
  readonly rules: LoginSettings;
}): Grants {
  const { store, box, clock, random, rules } = parts;
  const now = (): string => formatInstant(clock.now());
  return {
    find: (token) =>
      store.read(async (tx) => {
        const requestToken = await tx.requestTokens.find(token);
        if (!requestToken || stateAt(requestToken, now()) !== 'issued') return undefined;
        const application = await tx.credentials.findApplication(requestToken.application_id);
        return application && { requestToken, application };
      }),
    async approve({ id, token, token_secret: sealed, callback }, user, record) {
      const verifier = makeVerifier(callback, random);
      const verifier_hash = verifierHash(box.open(sealed, secretContext.requestToken(id)), verifier);
      const approved = await store.write(async (tx) => {
        const found = await tx.requestTokens.lock(token);
        const next = found && nextState(stateAt(found, now()), 'approve');
        if (!next) return false;
        const expires_at = expiryFrom('authorized', clock.now(), rules);
        const changes = { state: next, user_id: user, verifier_hash, expires_at };
        const isDone = await tx.requestTokens.change(id, found.state, changes);
        if (isDone) await record?.(tx);
        return isDone;
      });
      return approved ? { verifier } : undefined;
    },
    async forceLogin({ id }) {
      await store.write((tx) => tx.requestTokens.change(id, 'issued', { force_login: 1 }));
    },
    deny: ({ id, token }, record) =>
      store.write(async (tx) => {
        const found = await tx.requestTokens.lock(token);
        const next = found && nextState(stateAt(found, now()), 'deny');
        const isDone = next ? await tx.requestTokens.change(id, found.state, { state: next, token_secret: '' }) : false;
        if (isDone) await record?.(tx);
        return isDone;
      }),
    isGranted: (application, user, level) =>
      store.read(async (tx) => {
        const tokens = await tx.credentials.findLiveTokens(user, application);
        return tokens.some((token) => rank(token.access_level) >= rank(level));
      }),
    callbackUrlFor: ({ callback, token }, answer) =>
      'verifier' in answer
        ? withPairs(callback, { oauth_token: token, oauth_verifier: answer.verifier })
        : withPairs(callback, { denied: token }),
  };
}

function rank(level: AccessLevel): number {
  return ACCESS_LEVELS.indexOf(level);
}

/** Appends query parameters to a callback. Token and verifier need no escaping, and a callback has no fragment. */
function withPairs(address: string, pairs: Readonly<Record<string, string>>): string {
  const own = Object.entries(pairs).map(([name, value]) => `${name}=${value}`);
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return address + joint + own.join('&');
}
