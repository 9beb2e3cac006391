import { timingSafeEqual } from 'node:crypto';
import type { Random } from '../../../base/random.ts';
import type { OutgoingRequest, SendResult } from '../../../contract/services/sending.ts';
import { SIGNATURE_HEADER, signatureOf } from './signing.ts';

/** A challenge that a receiver answers to show that it knows the secret of the application. @source activity gaps 19.3 */
export interface Challenge {
  readonly request: OutgoingRequest;
  /** The one right `response_token`. */
  readonly expected: string;
  readonly crcToken: string;
}

/** Who sends to webhooks. */
export const USER_AGENT = 'barker-webhooks/1';

/** What the program must be asked for a challenge to be made. */
export interface Challenging {
  readonly url: string;
  readonly consumerSecret: string;
  readonly random: Random;
}

/**
 * A challenge for an address. Its token is 64 hex digits, which no event is: whoever answers challenges signs no event by
 * that.
 * @source activity gaps 19.3
 */
export function challengeOf({ url, consumerSecret, random }: Challenging): Challenge {
  const crcToken = random.bytes(32).toString('hex');
  const nonce = random.bytes(16).toString('base64url');
  const separator = url.includes('?') ? (/[?&]$/.test(url) ? '' : '&') : '?';
  const full = `${url}${separator}crc_token=${crcToken}&nonce=${nonce}`;
  const query = full.slice(full.indexOf('?') + 1);
  return {
    crcToken,
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
 * What came of a challenge. `wrong` makes a webhook invalid at once; `unanswered` may be over soon.
 * @source activity gaps 19.3
 */
export interface ChallengeVerdict {
  readonly is: 'right' | 'wrong' | 'unanswered';
  /** It came to no answer, and maybe was not sent at all. */
  readonly isUnreachable?: boolean;
  /** Fixed words, for whoever asked: nothing of what the receiver said. */
  readonly reason: string;
  /** What was seen, and what may be wrong: for the developer of the receiver, in development and in the command. */
  readonly diagnosis: string;
}

/** Why an answer is not right, with what was seen, for whoever may know that. */
export function whyNot({ reason, diagnosis }: ChallengeVerdict): string {
  return `${reason}; ${diagnosis}`;
}

/** Said of every host that gives no answer, whatever the cause: the cause would tell what only we can reach. */
const UNREACHABLE = { isUnreachable: true, reason: 'The host cannot be reached' } as const;

const SENT_FAILURES: Readonly<
  Record<Extract<SendResult, { outcome: 'failed' }>['reason'], Omit<ChallengeVerdict, 'diagnosis'>>
> = {
  'name unknown': { is: 'unanswered', ...UNREACHABLE },
  'address refused': { is: 'wrong', ...UNREACHABLE },
  'connect timeout': { is: 'unanswered', ...UNREACHABLE },
  'connection refused': { is: 'unanswered', ...UNREACHABLE },
  tls: { is: 'wrong', reason: 'The certificate is not trusted' },
  timeout: { is: 'unanswered', ...UNREACHABLE },
  'connection closed': { is: 'unanswered', ...UNREACHABLE },
  'not http': { is: 'wrong', reason: 'The answer is not HTTP' },
};

/** Judges the answer to a challenge. @source activity gaps 19.3 */
export function judge(challenge: Challenge, consumerSecret: string, sent: SendResult): ChallengeVerdict {
  if (sent.outcome === 'failed') return { ...SENT_FAILURES[sent.reason], diagnosis: sent.detail };
  const { status, headers, isCut } = sent;
  if (status >= 300 && status < 400) {
    const diagnosis = `${status} leads to ${headers.location ?? 'nowhere'}; no redirect is followed: register the address that answers`;
    return { is: 'wrong', reason: 'A redirect', diagnosis };
  }
  if (status === 410) return { is: 'wrong', reason: 'Status 410', diagnosis: 'the receiver says that it is gone' };
  if (status !== 200) {
    const diagnosis = `status ${status}, where 200 is expected${status === 405 || status === 404 ? '; does the receiver take GET on this path?' : ''}`;
    return { is: status >= 400 ? 'unanswered' : 'wrong', reason: `Status ${status}`, diagnosis };
  }
  if (isCut) return { is: 'unanswered', reason: 'The answer did not end', diagnosis: 'the body was cut' };
  return judgeBody(challenge, consumerSecret, Buffer.from(sent.body).toString());
}

function judgeBody({ expected, crcToken, request }: Challenge, consumerSecret: string, text: string): ChallengeVerdict {
  const wrong = (diagnosis: string, reason = 'Invalid response_token'): ChallengeVerdict => {
    return { is: 'wrong', reason, diagnosis };
  };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return wrong('the body is not JSON; expected {"response_token":"sha256=..."}', 'The answer is not JSON');
  }
  const token = (body as { response_token?: unknown } | null)?.response_token;
  if (typeof token !== 'string') {
    const keys = typeof body === 'object' && body !== null ? Object.keys(body).join(', ') || 'none' : 'no object';
    return wrong(`the answer has no text under response_token; its members: ${keys}`, 'No response_token');
  }
  if (isSame(token, expected)) return { is: 'right', reason: '', diagnosis: 'the answer is right' };
  const bare = expected.slice('sha256='.length);
  const digest = Buffer.from(bare, 'base64');
  const query = request.url.slice(request.url.indexOf('?') + 1);
  const likely: readonly (readonly [seen: string, why: string])[] = [
    [bare, 'sha256= is missing before it'],
    [`sha256=${digest.toString('hex')}`, 'it is the right value in hex; base64 is expected'],
    [digest.toString('hex'), 'it is the right value in hex; sha256= and base64 are expected'],
    [`sha256=${digest.toString('base64url')}`, 'it is the right value in base64url; plain base64 is expected'],
    [signatureOf(consumerSecret, query), 'it signs the whole query; only the value of crc_token is expected'],
    [crcToken, 'it is the crc_token itself, not signed'],
  ];
  const [, why] = likely.find(([seen]) => seen === token) ?? [];
  return wrong(
    why ?? 'it is signed with another secret than the consumer secret of the application, or something else',
  );
}

function isSame(input: string, expected: string): boolean {
  const [one, other] = [Buffer.from(input), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
