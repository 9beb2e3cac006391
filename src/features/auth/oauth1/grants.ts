import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { ACCESS_LEVELS, type AccessLevel } from '../../../contract/store/credentials.ts';
import type { LoginSettings, RequestToken } from '../../../contract/store/grants.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { expiryFrom, nextState, stateAt } from './request-token-states.ts';
import { makeVerifier, verifierHash } from './verifier.ts';

/** Runs in the unit of work that stores a decision. */
type RecordDecision = (tx: WriteTransaction) => Promise<void>;

/** Decisions of users on request tokens, as pages make them. */
export type Grants = ReturnType<typeof grants>;

/** Creates the decisions on request tokens over a store. @source authentication 6.4 and 8 */
export function grants(deps: {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Cryptographically secure, also in development. */
  readonly random: Random;
  readonly rules: LoginSettings;
}) {
  const { store, box, clock, random, rules } = deps;
  const now = (): string => formatInstant(clock.now());

  /** Stores a decision; false when the request token has expired or is decided on already. */
  const decide = (
    { id, token }: RequestToken,
    event: 'approve' | 'deny',
    changes: Parameters<WriteTransaction['requestTokens']['change']>[2],
    record?: RecordDecision,
  ): Promise<boolean> =>
    store.write(async (tx) => {
      const found = await tx.requestTokens.lock(token);
      const state = found && nextState(stateAt(found, now()), event);
      if (!state || !(await tx.requestTokens.change(id, found.state, { ...changes, state }))) return false;
      await record?.(tx);
      return true;
    });

  return {
    /** A request token that is not yet decided on, and its application; undefined for all others. */
    find: (token: string) =>
      store.read(async (tx) => {
        const requestToken = await tx.requestTokens.find(token);
        if (!requestToken || stateAt(requestToken, now()) !== 'issued') return undefined;
        const application = await tx.credentials.findApplication(requestToken.application_id);
        return application && { requestToken, application };
      }),
    /**
     * Approves a request token for a user. The verifier is a PIN of 7 digits where there is no callback.
     * @returns undefined when the token has expired or is decided on already.
     */
    async approve(requestToken: RequestToken, user_id: string, record?: RecordDecision) {
      const { id, token_secret: sealed, callback } = requestToken;
      const verifier = makeVerifier(callback, random);
      const verifier_hash = verifierHash(box.open(sealed, secretContext.requestToken(id)), verifier);
      const expires_at = expiryFrom('authorized', clock.now(), rules);
      const isDone = await decide(requestToken, 'approve', { user_id, verifier_hash, expires_at }, record);
      return isDone ? { verifier } : undefined;
    },
    /** From now on only a user who logs in for this request token may approve it. @source decision 507 */
    async forceLogin({ id }: RequestToken): Promise<void> {
      await store.write((tx) => tx.requestTokens.change(id, 'issued', { force_login: 1 }));
    },
    /** Denies a request token; false when it has expired or is decided on already. */
    deny: (requestToken: RequestToken, record?: RecordDecision): Promise<boolean> =>
      decide(requestToken, 'deny', { token_secret: '' }, record),
    /** Whether a user has granted an application this access level or a higher one, and not withdrawn it. */
    isGranted: (application: string, user: string, level: AccessLevel): Promise<boolean> =>
      store.read(async (tx) => {
        const tokens = await tx.credentials.findLiveTokens(user, application);
        return tokens.some((token) => rank(token.access_level) >= rank(level));
      }),
    /** The callback with the verifier of an approval, or a denial, appended to its query. Not for `oob`. */
    callbackUrlFor: ({ callback, token }: RequestToken, verifier?: string): string =>
      withQuery(
        callback,
        verifier === undefined ? `denied=${token}` : `oauth_token=${token}&oauth_verifier=${verifier}`,
      ),
  };
}

function rank(level: AccessLevel): number {
  return ACCESS_LEVELS.indexOf(level);
}

/** Appends a query to a callback, which has no fragment. Token and verifier need no escaping. */
function withQuery(address: string, query: string): string {
  return address + (!address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&') + query;
}
