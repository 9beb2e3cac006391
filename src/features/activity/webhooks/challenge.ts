import { timingSafeEqual } from 'node:crypto';
import type { Random } from '../../../base/random.ts';
import type { OutgoingRequest, SendResult } from '../../../contract/services/sending.ts';
import type { ChallengeNames } from '../../../contract/store/webhooks.ts';
import { SIGNATURE_HEADER, signatureOf, USER_AGENT } from './signing.ts';

/** A challenge (CRC): a correct answer proves that a receiver knows the consumer secret. @source activity 19.3 */
export interface Challenge {
  readonly request: OutgoingRequest;
  /** The expected `response_token`. */
  readonly expected: string;
  readonly crcToken: string;
  readonly names: ChallengeNames;
}

/** The input of a challenge. */
export interface ChallengeInput {
  readonly url: string;
  readonly consumerSecret: string;
  readonly random: Random;
  /** The names of this service by default. */
  readonly names?: ChallengeNames;
}

const OWN_NAMES: ChallengeNames = { crc_token: 'crc_token', nonce: 'nonce', response_token: 'response_token' };

/**
 * A challenge for a URL. Its token is 64 hexadecimal digits, which no event body is, so that the answer to a challenge
 * is never a valid signature of an event.
 * @source activity 19.3
 */
export function createChallenge({ url, consumerSecret, random, names = OWN_NAMES }: ChallengeInput): Challenge {
  const crcToken = random.bytes(32).toString('hex');
  const nonce = random.bytes(16).toString('base64url');
  const separator = url.includes('?') ? (/[?&]$/.test(url) ? '' : '&') : '?';
  const full = `${url}${separator}${names.crc_token}=${crcToken}&${names.nonce}=${nonce}`;
  const query = full.slice(full.indexOf('?') + 1);
  return {
    crcToken,
    names,
    expected: signatureOf(consumerSecret, crcToken),
    request: {
      method: 'GET',
      url: full,
      headers: {
        accept: 'application/json',
        'user-agent': USER_AGENT,
        [SIGNATURE_HEADER]: signatureOf(consumerSecret, query),
      },
      bypassesCaches: true,
      wantsBody: true,
    },
  };
}

/**
 * The result of a challenge. `failed` makes a webhook invalid at once; `unanswered` may be temporary.
 * @source activity 19.3; decision 386
 */
export interface ChallengeResult {
  readonly outcome: 'passed' | 'failed' | 'unanswered';
  /** Whether there was no response, or the request could not be sent. */
  readonly isUnreachable?: boolean;
  /** A fixed text for the caller, without anything from the response. */
  readonly reason: string;
  /** The observation and its likely cause, for the developer; only in development and in the command. */
  readonly diagnosis: string;
}

/** Reason and diagnosis, for the developer of the receiver. */
export function failureText({ reason, diagnosis }: ChallengeResult): string {
  return `${reason}; ${diagnosis}`;
}

/**
 * The same for every host without a response: the cause would reveal which hosts this network reaches.
 * @source decision 387, 480
 */
const UNREACHABLE = { isUnreachable: true, reason: 'The host cannot be reached' } as const;

const SEND_FAILURES: Readonly<
  Record<Extract<SendResult, { outcome: 'failed' }>['reason'], Omit<ChallengeResult, 'diagnosis'>>
> = {
  'name unknown': { outcome: 'unanswered', ...UNREACHABLE },
  'address refused': { outcome: 'failed', ...UNREACHABLE },
  'connect timeout': { outcome: 'unanswered', ...UNREACHABLE },
  'connection refused': { outcome: 'unanswered', ...UNREACHABLE },
  tls: { outcome: 'failed', reason: 'The certificate is not trusted' },
  timeout: { outcome: 'unanswered', ...UNREACHABLE },
  'connection closed': { outcome: 'unanswered', ...UNREACHABLE },
  'not http': { outcome: 'failed', reason: 'The answer is not HTTP' },
};

/** Checks the response to a challenge. @source activity 19.3; decision 388 */
export function checkResponse(challenge: Challenge, consumerSecret: string, sent: SendResult): ChallengeResult {
  if (sent.outcome === 'failed') return { ...SEND_FAILURES[sent.reason], diagnosis: sent.detail };
  const { status, headers, isCut } = sent;
  if (status >= 300 && status < 400) {
    const diagnosis = `${status} redirects to ${headers.location ?? 'no location'}; redirects are not followed: register the final URL`;
    return { outcome: 'failed', reason: 'A redirect', diagnosis };
  }
  if (status === 410) return { outcome: 'failed', reason: 'Status 410', diagnosis: 'the receiver answered 410 Gone' };
  if (status !== 200) {
    const diagnosis = `expected status 200, got ${status}${status === 405 || status === 404 ? '; does the receiver accept GET on this path?' : ''}`;
    return { outcome: status >= 400 ? 'unanswered' : 'failed', reason: `Status ${status}`, diagnosis };
  }
  if (isCut) return { outcome: 'unanswered', reason: 'The answer did not end', diagnosis: 'the body was truncated' };
  return checkBody(challenge, consumerSecret, Buffer.from(sent.body).toString());
}

function checkBody(
  { expected, crcToken, request, names: { crc_token, response_token: member } }: Challenge,
  consumerSecret: string,
  text: string,
): ChallengeResult {
  const wrong = (diagnosis: string, reason = `Invalid ${member}`): ChallengeResult => {
    return { outcome: 'failed', reason, diagnosis };
  };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return wrong(`the body is not JSON; expected {"${member}":"sha256=..."}`, 'The answer is not JSON');
  }
  const token = (body as Readonly<Record<string, unknown>> | null)?.[member];
  if (typeof token !== 'string') {
    const keys = typeof body === 'object' && body !== null ? Object.keys(body).join(', ') || 'none' : 'no object';
    return wrong(`${member} is missing or not a string; members: ${keys}`, `No ${member}`);
  }
  if (isEqual(token, expected)) return { outcome: 'passed', reason: '', diagnosis: 'the response is correct' };
  const bare = expected.slice('sha256='.length);
  const digest = Buffer.from(bare, 'base64');
  const query = request.url.slice(request.url.indexOf('?') + 1);
  const likely: readonly (readonly [seen: string, why: string])[] = [
    [bare, 'the prefix sha256= is missing'],
    [`sha256=${digest.toString('hex')}`, 'the value is correct but in hex; use base64'],
    [digest.toString('hex'), 'the value is correct but in hex; use base64, prefixed with sha256='],
    [`sha256=${digest.toString('base64url')}`, 'the value is correct but in base64url; use standard base64'],
    [signatureOf(consumerSecret, query), `it signs the whole query string; sign only the value of ${crc_token}`],
    [crcToken, `it is the ${crc_token} itself, unsigned`],
  ];
  const [, why] = likely.find(([seen]) => seen === token) ?? [];
  return wrong(why ?? 'it does not match; check that it is signed with the consumer secret of the application');
}

function isEqual(input: string, expected: string): boolean {
  const [one, other] = [Buffer.from(input), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
