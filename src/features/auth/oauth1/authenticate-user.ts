import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';
import type { Authenticated, SignedParts, UserAuthenticator } from '../../../contract/declare/callers.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import type { Credential, CredentialCache, LastUseRecorder } from './credential-cache.ts';
import { credentialProblem } from './credential-problem.ts';
import type { Nonces } from './nonces.ts';
import { type ParsedRequest, parseRequest, signingKey, verify } from './signature.ts';

/**
 * Checks requests that are signed with an access token, in the order of the reference: the credential parses, the
 * timestamp is in the window, the signature is right, the token is known and not revoked, the nonce is new, application
 * and user are not suspended, the user is not locked.
 * @source authentication 1.3; decision 91
 */
export function userAuthenticator(
  options: {
    readonly credentials: CredentialCache;
    readonly nonces: Nonces;
    readonly uses: LastUseRecorder;
    readonly clock: Clock;
    readonly random: Random;
  } & TimestampRules,
): UserAuthenticator {
  const { credentials, nonces, uses, clock, random } = options;
  // Requests with unknown keys are verified with dummy secrets, so that they take as long.
  const dummySecret = alphanumeric(random, 45);

  function acceptCredential(parsed: ParsedRequest, credential: Credential, now_s: number): Authenticated {
    if (credential.revoked) throw credentialProblem('TOKEN_REVOKED', 'revoked token');
    const { tokenId } = credential.principal;
    const nonce = nonces.use(tokenId, Number(parsed.timestamp), parsed.nonce, earliestNow_s(now_s, options));
    if (credential.applicationSuspended) throw credentialProblem('APPLICATION_SUSPENDED', 'suspended application');
    if (credential.userSuspended) throw credentialProblem('USER_SUSPENDED', 'suspended user');
    if (credential.userLocked) throw credentialProblem('USER_LOCKED', 'locked user');
    uses.record(credential, now_s);
    return { caller: credential.principal, bodyHash: parsed.bodyHash, nonce };
  }

  async function lookUp(parsed: ParsedRequest, origins: readonly string[], now_s: number): Promise<Authenticated> {
    const lookup = await credentials.find(parsed.consumerKey, parsed.token);
    if (lookup.found === 'credential') {
      if (verify(parsed, origins, lookup.credential.key)) return acceptCredential(parsed, lookup.credential, now_s);
      throw credentialProblem('SIGNATURE_REFUSED', 'wrong signature');
    }
    verify(parsed, origins, signingKey(lookup.consumerSecret, dummySecret));
    if (lookup.found === 'application') throw credentialProblem('TOKEN_UNKNOWN', 'unknown token');
    throw credentialProblem('SIGNATURE_REFUSED', 'unknown consumer key');
  }

  /** Re-reads a cached credential after a failure, so that timing does not reveal which tokens are cached. @source decision 93 */
  async function refuse({ consumerKey, token }: ParsedRequest): Promise<never> {
    await credentials.find(consumerKey, token);
    throw credentialProblem('SIGNATURE_REFUSED', 'wrong signature');
  }

  return {
    authenticate(parts, origins) {
      const now_s = Math.floor(clock.now() / 1000);
      const parsed = parseWithTimestampCheck(parts, now_s, options);
      if (parsed.token === '') throw credentialProblem('CREDENTIAL_UNUSABLE', 'no token where a user is needed');
      const credential = credentials.cached(parsed.consumerKey, parsed.token);
      if (!credential) return lookUp(parsed, origins, now_s);
      return verify(parsed, origins, credential.key) ? acceptCredential(parsed, credential, now_s) : refuse(parsed);
    },
    async isTokenInUse(parts) {
      const parsed = parseOrUndefined(parts, Math.floor(clock.now() / 1000), options);
      if (parsed === undefined || parsed.token === '') return false;
      const { consumerKey, token } = parsed;
      const cached = credentials.cached(consumerKey, token);
      const lookup = cached ? undefined : await credentials.find(consumerKey, token);
      const credential = lookup?.found === 'credential' ? lookup.credential : cached;
      if (!credential) return false;
      const { revoked, applicationSuspended, userSuspended, userLocked } = credential;
      return !(revoked || applicationSuspended || userSuspended || userLocked);
    },
  };
}

/** The range of accepted timestamps. */
export interface TimestampRules {
  /** Also accepted where the service clock can be moved: clients sign with the real time. @source decision 865 */
  readonly wallClock?: Clock | undefined;
  /** How far a timestamp may be from the present, in seconds. */
  readonly window_s: number;
  /**
   * Unix seconds; requests signed earlier are refused. After a restore, the nonces of requests accepted since the
   * backup are unknown. 0 when the database was never restored.
   */
  readonly notBefore_s: number;
}

/**
 * Parses a signed request and checks its timestamp, with any kind of token or none.
 * @throws BEARER_NOT_ALLOWED, CREDENTIAL_UNUSABLE or TIMESTAMP_OUT_OF_BOUNDS.
 * @source authentication 1.3; decision 83
 */
export function parseWithTimestampCheck(parts: SignedParts, now_s: number, rules: TimestampRules): ParsedRequest {
  if (schemeOf(parts.authorization) === 'bearer') throw credentialProblem('BEARER_NOT_ALLOWED', 'a bearer credential');
  const parsed = parseRequest(parts);
  if ('reason' in parsed) throw credentialProblem('CREDENTIAL_UNUSABLE', parsed.detail);
  const error = timestampError(parsed.timestamp, now_s, rules);
  if (error !== undefined) throw credentialProblem('TIMESTAMP_OUT_OF_BOUNDS', error);
  return parsed;
}

/** The earlier of the clocks that timestamps are checked against; older nonces are dropped. */
export function earliestNow_s(now_s: number, { wallClock }: Pick<TimestampRules, 'wallClock'>): number {
  return wallClock ? Math.min(now_s, Math.floor(wallClock.now() / 1000)) : now_s;
}

/** The parsed request; undefined where `parseWithTimestampCheck` refuses it. */
function parseOrUndefined(parts: SignedParts, now_s: number, rules: TimestampRules): ParsedRequest | undefined {
  try {
    return parseWithTimestampCheck(parts, now_s, rules);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function schemeOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.charCodeAt(0) === 79) return undefined;
  return /^\s*([A-Za-z]+)\s/.exec(authorization)?.[1]?.toLowerCase();
}

/** Why a timestamp is refused: it must be one to ten digits, and inside the window. Undefined if it is accepted. */
function timestampError(
  timestamp: string,
  now_s: number,
  { window_s, notBefore_s, wallClock }: TimestampRules,
): string | undefined {
  // Milliseconds are a common mistake.
  if (/^\d{13}$/.test(timestamp)) return 'the timestamp is in milliseconds';
  if (!/^[1-9]\d{0,9}$/.test(timestamp)) return 'the timestamp is not whole seconds';
  let skew = Number(timestamp) - now_s;
  if (wallClock && Math.abs(skew) > window_s) {
    const other = Number(timestamp) - Math.floor(wallClock.now() / 1000);
    if (Math.abs(other) < Math.abs(skew)) skew = other;
  }
  if (Math.abs(skew) > window_s) return `the timestamp is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`;
  return Number(timestamp) < notBefore_s
    ? `signed before the service was restored; accepted from ${formatInstant(notBefore_s * 1000)} on`
    : undefined;
}
