import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type {
  Authenticate,
  Authenticated,
  NonceReservation,
  PresentedCredential,
} from '../../../contract/declare/callers.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import type { RequestToken } from '../../../contract/store/grants.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../contract/store/store.ts';
import { earliest_s, parseTimelyRequest, type TimestampRules } from './authenticate-user.ts';
import { credentialProblem } from './credential-problem.ts';
import type { Nonces } from './nonces.ts';
import { isFinal, stateAt } from './request-token-states.ts';
import { type ParsedRequest, signingKey, verify } from './signature.ts';

/** The dependencies of checking requests that are signed without an access token. */
export interface LoginStepDeps extends TimestampRules {
  readonly store: Store;
  readonly box: SecretBox;
  readonly nonces: Nonces;
  readonly clock: Clock;
  readonly random: Random;
}

/** A request of a known application with a verified signature, and its request token, if that is known. */
interface Signed {
  readonly parsed: ParsedRequest;
  readonly application: Application;
  readonly requestToken: RequestToken | undefined;
  readonly tokenSecret: string;
  readonly now_s: number;
}

/** Checks requests that are signed with the consumer key alone. @source authentication gaps 1.2 and 1.3; decision 69 */
export function consumerAuthenticator(judging: LoginStepDeps): Authenticate {
  const judge = signatureJudge(judging);
  return async (parts, origins) => {
    const signed = await judge(parts, origins);
    const { parsed, application } = signed;
    if (parsed.token !== '') throw credentialProblem('TOKEN_UNKNOWN', 'a token where none belongs');
    const nonce = admit(judging, signed, `c${application.id}`);
    const caller = { kind: 'application', application, ...(parsed.callback && { callback: parsed.callback }) } as const;
    return answerFor(parsed, caller, nonce);
  };
}

/** Checks requests that are signed with a request token. @source authentication gaps 1.2, 1.3 and 7 */
export function requestTokenAuthenticator(judging: LoginStepDeps): Authenticate {
  const judge = signatureJudge(judging);
  return async (parts, origins) => {
    const signed = await judge(parts, origins);
    const { parsed, application, requestToken, tokenSecret } = signed;
    if (parsed.token === '') throw credentialProblem('REQUEST_TOKEN_MISSING', 'no request token');
    if (!requestToken) throw credentialProblem('TOKEN_UNKNOWN', 'no such request token, or one that has ended');
    const nonce = admit(judging, signed, `r${requestToken.id}`);
    const { verifier } = parsed;
    return answerFor(parsed, { kind: 'request-token', application, requestToken, tokenSecret, verifier }, nonce);
  };
}

/** Reserves the nonce and checks suspension, after the signature. */
function admit(judging: LoginStepDeps, { parsed, application, now_s }: Signed, signer: string): NonceReservation {
  const nonce = judging.nonces.use(signer, Number(parsed.timestamp), parsed.nonce, earliest_s(now_s, judging));
  if (application.suspended === 1) throw credentialProblem('APPLICATION_SUSPENDED', 'suspended application');
  return nonce;
}

function answerFor(
  { bodyHash, headerParameters }: ParsedRequest,
  caller: Authenticated['caller'],
  nonce: NonceReservation,
): Authenticated {
  const parameters = headerParameters.map(({ name, value }) => [name, value] as const);
  return { caller, bodyHash, headerParameters: parameters, nonce };
}

/**
 * Parses a request and verifies its signature. The work is the same whether or not key and token exist: unknown ones
 * are verified with dummy secrets. The signature with an unknown token cannot be verified, so it passes here.
 * @source decision 93
 */
function signatureJudge({ store, box, clock, random, ...timeliness }: LoginStepDeps) {
  const dummySecret = alphanumeric(random, 50);
  const sealedDummy = box.seal(dummySecret, DUMMY);
  return async (parts: PresentedCredential, origins: readonly string[]): Promise<Signed> => {
    const now_s = Math.floor(clock.now() / 1000);
    const parsed = parseTimelyRequest(parts, now_s, timeliness);
    const { application, requestToken } = await readRows(store, parsed, formatInstant(clock.now()));
    const consumerSecret = application
      ? box.open(application.consumer_secret, secretContext.application(application.id))
      : box.open(sealedDummy, DUMMY);
    const tokenSecret = requestToken
      ? box.open(requestToken.token_secret, secretContext.requestToken(requestToken.id))
      : box.open(sealedDummy, DUMMY);
    const isRight = verify(parsed, origins, signingKey(consumerSecret, parsed.token === '' ? '' : tokenSecret));
    if (!application) throw credentialProblem('SIGNATURE_REFUSED', 'unknown consumer key');
    if (requestToken?.state === 'exchanged' && !isRight)
      throw credentialProblem('TOKEN_UNKNOWN', 'an exchanged request token');
    const isJudged = parsed.token === '' || requestToken !== undefined;
    if (isJudged && !isRight) throw credentialProblem('SIGNATURE_REFUSED', 'wrong signature');
    return { parsed, application, requestToken, tokenSecret, now_s };
  };
}

const DUMMY = 'nobody';

/**
 * The application, and its request token if that can still be exchanged, or its exchange undone.
 * @source decision 68
 */
async function readRows(store: Store, { consumerKey, token }: ParsedRequest, now: string) {
  return store.read(async (tx) => {
    const application = await tx.credentials.findApplicationByKey(consumerKey);
    const found = token === '' ? undefined : await tx.requestTokens.find(token);
    const isOwn = found !== undefined && found.application_id === application?.id;
    const isOfUse = isOwn && (!isFinal(stateAt(found, now)) || found.made_token_id !== null);
    return { application, requestToken: isOfUse ? found : undefined };
  });
}
