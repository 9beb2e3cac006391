import { createHash } from 'node:crypto';
import type { CredentialKind } from '../../contract/declare/operation.ts';
import type { Parameter, ParseError } from '../../features/auth/oauth1/parsed-request.ts';
import { parseRequest } from '../../features/auth/oauth1/signature.ts';
import { type Diagnosis, diagnose, expectedOf } from './diagnose.ts';
import { findSecrets, type KnownApplication, type SentKeys, secretsOf } from './known-keys.ts';
import { type MistakeName, mistakeNamed, type NamedMistake } from './mistakes.ts';
import { type BearerState, bearerIn, otherMistakes } from './other-schemes.ts';
import { secretValuesOf, withoutSecrets } from './redact.ts';
import { isForm, parametersOf, type SentRequest } from './sent-request.ts';
import type { SentParameter } from './signing.ts';

/** The mistakes in the credentials of a request. */
export interface Explanation extends Diagnosis {
  /** The one sentence that helps most. */
  readonly summary: string;
  /** The name of the application whose secrets were tried. */
  readonly application?: string;
}

/** The limits of timestamps. */
interface TimeRules {
  readonly now_s: number;
  /** The time of the wall clock, by which clients may sign; `now_s` if omitted. */
  readonly wallNow_s?: number;
  readonly window_s: number;
  /** When the service was last restored: requests signed earlier are refused. 0 if never. */
  readonly notBefore_s?: number;
}

/** The circumstances of a request. */
export interface Circumstances extends TimeRules {
  /** The credential that the operation requires, if that is known. */
  readonly needed?: CredentialKind | undefined;
  /** The state of the bearer token of the request; undefined when it was not looked up. */
  readonly bearer?: BearerState | undefined;
  /** The reason of the refusal in the log; undefined when the service did not receive the request. */
  readonly refusal?: string | undefined;
  /** How many signatures are computed at most. */
  readonly triesMax?: number | undefined;
}

/** The key and the token of a request; empty where it has none. */
export function keysOf(sent: SentRequest): SentKeys {
  const parameters = parametersOf(sent);
  const value = (name: string): string =>
    'reason' in parameters ? '' : (parameters.find((each) => each.name === name)?.value ?? '');
  return { consumerKey: value('oauth_consumer_key'), token: value('oauth_token') };
}

/** The secrets that no explanation of a request may contain. */
export function hiddenOf(sent: SentRequest, known: readonly KnownApplication[]): string[] {
  const parameters = parametersOf(sent);
  const bearer = bearerIn(sent.authorization) ?? '';
  return [bearer, ...secretsOf(known), ...('reason' in parameters ? [] : secretValuesOf(parameters, sent.ownNames))];
}

/**
 * Explains why a request is refused: what is wrong with its key and token, its protocol parameters, its signature and
 * its body hash, or with a credential of another kind. Never returns a secret.
 */
export function explain(
  sent: SentRequest,
  known: readonly KnownApplication[],
  circumstances: Circumstances,
): Explanation {
  const parameters = parametersOf(sent);
  const judged = isSigned(parameters)
    ? judgeSigned(sent, parameters, known, circumstances)
    : judgeOther(sent, parameters, known, circumstances);
  return withoutSecrets(withSummary(withRefusal(judged, circumstances.refusal)), hiddenOf(sent, known));
}

type Judged = Diagnosis & Pick<Explanation, 'application'>;

function isSigned(parameters: readonly SentParameter[] | ParseError): parameters is SentParameter[] {
  return !('reason' in parameters) && parameters.some(({ name }) => /^oauth_(?!token$|verifier$|callback$)/.test(name));
}

/** A request without parameters of OAuth, or whose header cannot be read. */
function judgeOther(
  { authorization }: SentRequest,
  parameters: readonly SentParameter[] | ParseError,
  known: readonly KnownApplication[],
  { needed, bearer }: Circumstances,
): Judged {
  if ('reason' in parameters && parameters.reason !== 'absent') {
    return { outcome: 'unreadable', mistakes: [], detail: parameters.detail };
  }
  const mistakes = otherMistakes({ authorization, known, needed, bearer });
  if (mistakes.length > 0) return { outcome: 'mistakes', mistakes };
  const isBearer = bearerIn(authorization) !== undefined;
  if (!isBearer || bearer === 'valid') return { outcome: 'right', mistakes };
  return { outcome: 'unreadable', mistakes, detail: 'only the service knows its bearer tokens' };
}

function judgeSigned(
  sent: SentRequest,
  parameters: readonly SentParameter[],
  known: readonly KnownApplication[],
  { needed, triesMax, ...rules }: Circumstances,
): Judged {
  const takesSignature = needed !== 'basic' && needed !== 'bearer' && needed !== 'publisher';
  const kind = needed === 'consumer' || needed === 'request-token' || needed === undefined ? needed : 'user';
  const { secrets, mistakes } = findSecrets(known, keysOf(sent), kind);
  const others = [
    ...(takesSignature ? [] : [mistakeNamed('signature-where-none-belongs')]),
    ...mistakes.map(mistakeNamed),
    ...protocolMistakes(parameters, rules),
    ...bodyHashMistakes(sent, parameters),
  ];
  others.push(...(others.length === 0 ? shapeMistakes(sent) : []));
  if (!secrets) return { outcome: 'mistakes', mistakes: others, expected: expectedOf(sent, parameters) };
  const application = secrets.name;
  if (sent.isBodyCut && isForm(sent)) {
    return { outcome: 'unreadable', mistakes: others, application, detail: 'the form is too long to be kept' };
  }
  const diagnosis = diagnose(sent, secrets, triesMax);
  if (others.length === 0) return { ...diagnosis, application };
  const outcome = diagnosis.outcome === 'right' ? 'mistakes' : diagnosis.outcome;
  return { ...diagnosis, application, outcome, mistakes: [...others, ...diagnosis.mistakes] };
}

/** Checks the protocol parameters of a request. @source authentication 1.3 */
function protocolMistakes(
  parameters: readonly Parameter[],
  { now_s, wallNow_s = now_s, window_s, notBefore_s = 0 }: TimeRules,
): NamedMistake[] {
  const value = (name: string): string | undefined => parameters.find((each) => each.name === name)?.value;
  const mistakes: NamedMistake[] = [];
  const add = (name: string, text: string, remedy: string): void => void mistakes.push({ name, text, remedy });
  const method = value('oauth_signature_method');
  if (method !== undefined && method !== 'HMAC-SHA1') {
    add('other-signature-method', `oauth_signature_method is ${method}.`, 'Sign with HMAC-SHA1 and say so.');
  }
  const version = value('oauth_version');
  if (version !== undefined && version !== '1.0') {
    add('other-version', `oauth_version is ${version || 'empty'}.`, 'Send oauth_version=1.0, or leave it out.');
  }
  for (const name of ['oauth_consumer_key', 'oauth_nonce', 'oauth_timestamp', 'oauth_signature_method']) {
    if (value(name) === undefined) add('parameter-missing', `${name} is missing.`, `Send and sign ${name}.`);
  }
  const timestamp = value('oauth_timestamp');
  if (timestamp === undefined) return mistakes;
  const skews_s = [now_s, wallNow_s].map((each) => Number(timestamp) - each);
  const skew_s = Math.abs(skews_s[0]!) <= Math.abs(skews_s[1]!) ? skews_s[0]! : skews_s[1]!;
  if (/^\d{13}$/.test(timestamp)) {
    add('timestamp-in-milliseconds', 'The timestamp is in milliseconds.', 'Send whole seconds since 1970.');
  } else if (!/^[1-9]\d{0,9}$/.test(timestamp)) {
    add('timestamp-not-seconds', 'The timestamp is not a number of whole seconds.', 'Send whole seconds since 1970.');
  } else if (Math.abs(skew_s) > window_s) {
    const by = `${Math.abs(skew_s)} s ${skew_s < 0 ? 'behind' : 'ahead of'} the clock of the server`;
    add(
      'timestamp-out-of-bounds',
      `The timestamp is ${by}.`,
      'Set the clock of the client, and sign each request anew.',
    );
  } else if (Number(timestamp) < notBefore_s) {
    mistakes.push(mistakeNamed('signed-before-restore'));
  }
  return mistakes;
}

/**
 * Checks `oauth_body_hash`: the base64 of the SHA-1 of a body that is not a form.
 * @source authentication 2.7
 */
function bodyHashMistakes(sent: SentRequest, parameters: readonly Parameter[]): readonly NamedMistake[] {
  const hash = parameters.find(({ name }) => name === 'oauth_body_hash')?.value;
  if (hash === undefined) return [];
  if (isForm(sent)) return [mistakeNamed('body-hash-with-form')];
  const { body = '' } = sent;
  // Invalid UTF-8 was replaced when the body was decoded.
  if (sent.isBodyCut || body.includes('\ufffd')) return [];
  const digest = (algorithm: string, text = body): Buffer => createHash(algorithm).update(text).digest();
  const right = digest('sha1');
  if (hash === right.toString('base64')) return [];
  const others: readonly (readonly [value: string, text: string])[] = [
    [digest('sha1', '').toString('base64'), 'oauth_body_hash is that of an empty body.'],
    [right.toString('hex'), 'oauth_body_hash is written as hex.'],
    [right.toString('base64url'), 'oauth_body_hash is written as base64url.'],
    [Buffer.from(right.toString('hex')).toString('base64'), 'oauth_body_hash is the base64 of hex.'],
    [digest('sha256').toString('base64'), 'oauth_body_hash was made by SHA-256.'],
    [digest('sha1', `${body}\n`).toString('base64'), 'oauth_body_hash is that of the body and a line break.'],
    [
      digest('sha1', body.trim()).toString('base64'),
      'oauth_body_hash is that of the body without the space around it.',
    ],
  ];
  const text =
    others.find(([value]) => value === hash)?.[1] ?? 'oauth_body_hash is not that of the body that was sent.';
  return [{ name: 'body-hash-wrong', text, remedy: REMEDY }];
}

const REMEDY = 'Send the base64 of the SHA-1 of exactly the bytes that are sent, or leave oauth_body_hash out.';

/** Returns the error of the service's own parser. */
function shapeMistakes(sent: SentRequest): NamedMistake[] {
  const { method, target, authorization, body } = sent;
  const parsed = parseRequest({
    method,
    target,
    authorization,
    form: isForm(sent) && !sent.isBodyCut ? body : undefined,
  });
  if (!('reason' in parsed) || parsed.reason === 'absent') return [];
  const text = `${parsed.detail.charAt(0).toUpperCase()}${parsed.detail.slice(1)}.`;
  return [{ name: 'credentials-malformed', text, remedy: 'Send each OAuth parameter once, percent-encoded once.' }];
}

/** Refusals whose reasons the request itself does not show, by the words of the log. */
const REFUSALS: readonly (readonly [reason: RegExp, mistake: MistakeName])[] = [
  [/^nonce used before$/, 'nonce-used-twice'],
  [/^the clock was set back/, 'nonce-forgotten'],
  [/^signed before the service was restored/, 'signed-before-restore'],
  [/^more than one Authorization header$/, 'authorization-repeated'],
  [/^too many wrong secrets$/, 'too-many-wrong-secrets'],
  [/^revoked token$/, 'token-revoked'],
  [/^suspended application$/, 'application-suspended'],
  [/^suspended user$/, 'user-suspended'],
  [/^locked user$/, 'user-locked'],
];

/** The name of a mistake that only the service knows. */
export const REFUSED = 'refused';

/** The same with the reason of the service, where the request itself does not show it. */
function withRefusal(judged: Judged, refusal: string | undefined): Judged {
  if (refusal === undefined) return judged;
  const name = REFUSALS.find(([reason]) => reason.test(refusal))?.[1];
  if (name && !judged.mistakes.some((each) => each.name === name)) {
    const outcome = judged.outcome === 'right' ? 'mistakes' : judged.outcome;
    return { ...judged, outcome, mistakes: [mistakeNamed(name), ...judged.mistakes] };
  }
  if (judged.outcome !== 'right') return judged;
  const remedy = 'The signature is valid.';
  return { ...judged, outcome: 'mistakes', mistakes: [{ name: REFUSED, text: `Refused: ${refusal}.`, remedy }] };
}

/** The most frequent mistake where no known one reproduces a signature. */
export const LIKELY_SECRET =
  'Most likely the consumer secret or the token secret is wrong, or has been replaced: copy both again.';

/** The summary of a request without mistakes. */
export const RIGHT = 'Nothing is wrong with the credentials.';

function withSummary(judged: Judged): Explanation {
  const { outcome, mistakes, detail } = judged;
  const [first] = mistakes;
  const summary = first
    ? `${first.text} ${first.remedy}`
    : outcome === 'right'
      ? RIGHT
      : outcome === 'unreadable'
        ? `The credentials cannot be read: ${detail}.`
        : `No known mistake reproduces the signature. ${LIKELY_SECRET}`;
  return { ...judged, summary };
}
