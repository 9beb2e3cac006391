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

/** What a user decided. */
export type GrantDecision = { readonly verifier: string } | { readonly denied: true };

/** What pages do with request tokens while users decide. */
export interface Grants {
  /** A request token that may still be decided on, and who asks; undefined for all others. */
  find(token: string): Promise<{ requestToken: RequestToken; application: Application } | undefined>;
  /**
   * Approves for a user. The verifier is a PIN of 7 digits where there is no callback; undefined when it is too late.
   * `record` is part of the unit.
   */
  approve(
    requestToken: RequestToken,
    user: string,
    record?: (tx: WriteTransaction) => Promise<void>,
  ): Promise<{ verifier: string } | undefined>;
  /** Only a user who logs in for this request token may approve it from now on. */
  forceLogin(requestToken: RequestToken): Promise<void>;
  /** False when it is too late. */
  deny(requestToken: RequestToken, record?: (tx: WriteTransaction) => Promise<void>): Promise<boolean>;
  /** Whether a user has granted an application a level or a higher one, and not withdrawn it. */
  isGranted(application: string, user: string, level: AccessLevel): Promise<boolean>;
  /** The callback with the answer behind its own query. Not for `oob`. */
  callbackUrlFor(requestToken: RequestToken, answer: GrantDecision): string;
}

/** Decisions on request tokens, kept in a store. @source authentication gaps 6.4 and 8 */
export function grants(parts: {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Cryptographic, also in development. */
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

/** Token and verifier hold nothing that would have to be escaped. A callback has no fragment. */
function withPairs(address: string, pairs: Readonly<Record<string, string>>): string {
  const own = Object.entries(pairs).map(([name, value]) => `${name}=${value}`);
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return address + joint + own.join('&');
}
