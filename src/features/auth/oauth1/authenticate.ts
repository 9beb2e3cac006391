import type { Clock } from '../../../base/clock.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';
import type { Authenticated, Authenticator, SignedParts } from '../../../contract/declare/callers.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import type { Credential, KnownCredentials } from './known-credentials.ts';
import type { Nonces } from './nonces.ts';
import { refused } from './refused.ts';
import { type Claim, parseClaim, signingKey, verify } from './signature.ts';
import type { TokenUses } from './token-uses.ts';

/**
 * The checks, in the order of the reference: the credential parses, the timestamp is in the window, the signature is
 * right, the token is known and not revoked, the nonce is new, application and user are not suspended.
 * @source authentication gaps 1.3
 */
export function authenticator(
  options: {
    readonly credentials: KnownCredentials;
    readonly nonces: Nonces;
    readonly uses: TokenUses;
    readonly clock: Clock;
    readonly random: Random;
  } & Timeliness,
): Authenticator {
  const { credentials, nonces, uses, clock, random } = options;
  // Unknown keys are judged with secrets that nobody has, so that they cost the same work.
  const dummySecret = alphanumeric(random, 45);

  function admit(claim: Claim, credential: Credential, now_s: number): Authenticated {
    if (credential.revoked) throw refused('TOKEN_REVOKED', 'revoked token');
    const nonce = nonces.use(credential.principal.tokenId, Number(claim.timestamp), claim.nonce, now_s);
    if (credential.applicationSuspended) throw refused('APPLICATION_SUSPENDED', 'suspended application');
    if (credential.userSuspended) throw refused('USER_SUSPENDED', 'suspended user');
    if (credential.userLocked) throw refused('USER_LOCKED', 'locked user');
    uses.note(credential, now_s);
    return { caller: credential.principal, bodyHash: claim.bodyHash, nonce };
  }

  async function lookUp(claim: Claim, origins: readonly string[], now_s: number): Promise<Authenticated> {
    const lookup = await credentials.find(claim.consumerKey, claim.token);
    if (lookup.found === 'credential') {
      if (verify(claim, origins, lookup.credential.key)) return admit(claim, lookup.credential, now_s);
      throw refused('SIGNATURE_REFUSED', 'wrong signature');
    }
    verify(claim, origins, signingKey(lookup.consumerSecret, dummySecret));
    if (lookup.found === 'application') throw refused('TOKEN_UNKNOWN', 'unknown token');
    throw refused('SIGNATURE_REFUSED', 'unknown consumer key');
  }

  /** What is remembered is looked up all the same when it is refused: the time must not tell what is in use. */
  async function refuse({ consumerKey, token }: Claim): Promise<never> {
    await credentials.find(consumerKey, token);
    throw refused('SIGNATURE_REFUSED', 'wrong signature');
  }

  return {
    authenticate(parts, origins) {
      const now_s = Math.floor(clock.now() / 1000);
      const claim = readSigned(parts, now_s, options);
      if (claim.token === '') throw refused('CREDENTIAL_UNUSABLE', 'no token where a user is needed');
      const credential = credentials.remembered(claim.consumerKey, claim.token);
      if (!credential) return lookUp(claim, origins, now_s);
      return verify(claim, origins, credential.key) ? admit(claim, credential, now_s) : refuse(claim);
    },
    async isTokenInUse(parts) {
      const claim = claimInTime(parts, Math.floor(clock.now() / 1000), options);
      if (claim === undefined || claim.token === '') return false;
      const known = credentials.remembered(claim.consumerKey, claim.token);
      const lookup = known
        ? { found: 'credential' as const, credential: known }
        : await credentials.find(claim.consumerKey, claim.token);
      if (lookup.found !== 'credential') return false;
      const { revoked, applicationSuspended, userSuspended, userLocked } = lookup.credential;
      return !(revoked || applicationSuspended || userSuspended || userLocked);
    },
  };
}

/** Which timestamps are accepted. */
export interface Timeliness {
  /** How far a timestamp may be from the present, in seconds. */
  readonly window_s: number;
  /**
   * Unix seconds; what was signed earlier is refused. After a restore the nonces of requests that were accepted since the
   * backup are not known. 0 when the database was never restored.
   */
  readonly notBefore_s: number;
}

/**
 * Reads a signed request that came in time, whatever it is signed with.
 * @throws BEARER_NOT_ALLOWED, CREDENTIAL_UNUSABLE or TIMESTAMP_OUT_OF_BOUNDS.
 * @source authentication gaps 1.3
 */
export function readSigned(parts: SignedParts, now_s: number, timeliness: Timeliness): Claim {
  if (schemeOf(parts.authorization) === 'bearer') throw refused('BEARER_NOT_ALLOWED', 'a bearer credential');
  const claim = parseClaim(parts);
  if ('reason' in claim) throw refused('CREDENTIAL_UNUSABLE', claim.detail);
  checkTimestamp(claim.timestamp, now_s, timeliness);
  return claim;
}

/** What a request claims; undefined where `readSigned` refuses it. */
function claimInTime(parts: SignedParts, now_s: number, timeliness: Timeliness): Claim | undefined {
  try {
    return readSigned(parts, now_s, timeliness);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function schemeOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.charCodeAt(0) === 79) return undefined;
  return /^\s*([A-Za-z]+)\s/.exec(authorization)?.[1]?.toLowerCase();
}

/** Seconds, one to ten digits, inside the window. Milliseconds are the usual slip. */
function checkTimestamp(timestamp: string, now_s: number, { window_s, notBefore_s }: Timeliness): void {
  if (!/^[1-9]\d{0,9}$/.test(timestamp)) {
    const slip = /^\d{13}$/.test(timestamp) ? 'the timestamp is in milliseconds' : 'the timestamp is not whole seconds';
    throw refused('TIMESTAMP_OUT_OF_BOUNDS', slip);
  }
  const skew = Number(timestamp) - now_s;
  if (Math.abs(skew) > window_s) {
    throw refused('TIMESTAMP_OUT_OF_BOUNDS', `the timestamp is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`);
  }
  if (Number(timestamp) < notBefore_s) {
    throw refused('TIMESTAMP_OUT_OF_BOUNDS', `signed before the service was restored; accepted from ${notBefore_s} on`);
  }
}
