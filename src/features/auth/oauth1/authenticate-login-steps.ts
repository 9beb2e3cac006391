import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Authenticate, Authenticated, PresentedCredential } from '../../../contract/declare/callers.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import type { RequestToken } from '../../../contract/store/grants.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { earliestNow_s, parseWithTimestampCheck, type TimestampRules } from './authenticate-user.ts';
import { credentialProblem } from './credential-problem.ts';
import { parseUnsignedRequest } from './full-parser.ts';
import type { Nonces } from './nonces.ts';
import { isFinal, stateAt } from './request-token-states.ts';
import { type ParsedRequest, signingKey, verify } from './signature.ts';

interface RequestTokenDeps {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
}

/** The dependencies of checking requests that are signed without an access token. */
export interface LoginStepDeps extends RequestTokenDeps, TimestampRules {
  readonly nonces: Nonces;
  readonly random: Random;
}

const DUMMY = 'nobody';

/** A request of a known application with a verified signature, and its request token, if that is known. */
interface Signed {
  readonly parsed: ParsedRequest;
  readonly application: Application;
  readonly requestToken: RequestToken | undefined;
  readonly tokenSecret: string;
}

/** The caller of a signed request, and the name under which its nonces are kept. */
type Signer = readonly [caller: Authenticated['caller'], name: string];

/** Checks requests that are signed with the consumer key alone. @source authentication 1.2 and 1.3; decision 69 */
export function consumerAuthenticator(deps: LoginStepDeps): Authenticate {
  return loginStepAuthenticator(deps, ({ parsed: { token, callback }, application }) => {
    if (token !== '') throw credentialProblem('TOKEN_UNKNOWN', 'a token where none belongs');
    return [{ kind: 'application', application, ...(callback && { callback }) }, `c${application.id}`];
  });
}

/** Checks requests that are signed with a request token. @source authentication 1.2, 1.3 and 7 */
export function requestTokenAuthenticator(deps: LoginStepDeps): Authenticate {
  return loginStepAuthenticator(deps, ({ parsed: { token, verifier }, application, requestToken, tokenSecret }) => {
    if (token === '') throw credentialProblem('REQUEST_TOKEN_MISSING', 'no request token');
    if (!requestToken) throw credentialProblem('TOKEN_UNKNOWN', 'no such request token, or one that has ended');
    return [{ kind: 'request-token', application, requestToken, tokenSecret, verifier }, `r${requestToken.id}`];
  });
}

/**
 * Parses a request and verifies its signature; `signerOf` checks the kind of token. The work is the same whether or not
 * key and token exist: unknown ones are verified with dummy secrets. The signature with an unknown token cannot be verified,
 * so it is left to `signerOf`.
 * @source decision 93
 */
function loginStepAuthenticator(deps: LoginStepDeps, signerOf: (signed: Signed) => Signer): Authenticate {
  const { store, box, clock, random, nonces } = deps;
  const sealedDummy = box.seal(alphanumeric(random, 50), DUMMY);
  return async (parts, origins) => {
    const now_s = Math.floor(clock.now() / 1000);
    const parsed = parseWithTimestampCheck(parts, now_s, deps);
    const { application, requestToken } = await readRows(store, parsed, formatInstant(clock.now()));
    const consumerSecret = application
      ? box.open(application.consumer_secret, secretContext.application(application.id))
      : box.open(sealedDummy, DUMMY);
    const tokenSecret = requestToken
      ? box.open(requestToken.token_secret, secretContext.requestToken(requestToken.id))
      : box.open(sealedDummy, DUMMY);
    const isRight = verify(parsed, origins, signingKey(consumerSecret, parsed.token === '' ? '' : tokenSecret));
    if (!application) throw credentialProblem('SIGNATURE_REFUSED', 'unknown consumer key');
    if (!isRight && requestToken?.state === 'exchanged') {
      throw credentialProblem('TOKEN_UNKNOWN', 'an exchanged request token');
    }
    const isVerifiable = parsed.token === '' || requestToken !== undefined;
    if (!isRight && isVerifiable) throw credentialProblem('SIGNATURE_REFUSED', 'wrong signature');
    const [caller, signer] = signerOf({ parsed, application, requestToken, tokenSecret });
    const nonce = nonces.use(signer, Number(parsed.timestamp), parsed.nonce, earliestNow_s(now_s, deps));
    if (application.suspended === 1) throw credentialProblem('APPLICATION_SUSPENDED', 'suspended application');
    const headerParameters = parsed.headerParameters.map(({ name, value }) => [name, value] as const);
    return { caller, bodyHash: parsed.bodyHash, headerParameters, nonce };
  };
}

/**
 * The application, and its request token if that can still be exchanged, or its exchange undone.
 * @source decision 68
 */
async function readRows(store: Store, { consumerKey, token }: ParsedRequest, now: string) {
  return store.read(async (tx) => {
    const application = await tx.credentials.findApplicationByKey(consumerKey);
    const found = token === '' ? undefined : await tx.requestTokens.find(token);
    const isOwn = found !== undefined && found.application_id === application?.id;
    const isUsable = isOwn && (!isFinal(stateAt(found, now)) || found.made_token_id !== null);
    return { application, requestToken: isUsable ? found : undefined };
  });
}

/**
 * Accepts requests that name a request token and a verifier even if the strict check refuses the signature, for clients
 * that sign the last step of a login wrongly or not at all. The verifier is checked later, and wrong ones are counted.
 * @source authentication 7; decision 88
 */
export function lenientAuthenticator(strict: Authenticate, deps: RequestTokenDeps): Authenticate {
  return async (parts, origins) => {
    try {
      return await strict(parts, origins);
    } catch (error) {
      const admitted = error instanceof Problem ? await withoutSignature(deps, parts) : undefined;
      if (!admitted) throw error;
      return admitted;
    }
  };
}

/**
 * Undefined where a request lacks token or verifier, or names unknown ones: then the error of the strict check stands.
 */
async function withoutSignature(
  { store, box, clock }: RequestTokenDeps,
  parts: PresentedCredential,
): Promise<Authenticated | undefined> {
  const parsed = parseUnsignedRequest(parts);
  if (!parsed) return undefined;
  const found = await store.read(async (tx) => {
    const requestToken = await tx.requestTokens.find(parsed.token);
    const application = requestToken && (await tx.credentials.findApplication(requestToken.application_id));
    return application && { requestToken, application };
  });
  // An unsigned call gets the error of an unknown token; the strict check would only call it unsigned.
  if (!found || isFinal(stateAt(found.requestToken, formatInstant(clock.now())))) {
    if (parsed.consumerKey !== '') return undefined;
    throw credentialProblem('TOKEN_UNKNOWN', 'no such request token, or one that has ended');
  }
  const { requestToken, application } = found;
  if (parsed.consumerKey !== '' && parsed.consumerKey !== application.consumer_key) return undefined;
  if (application.suspended === 1) throw credentialProblem('APPLICATION_SUSPENDED', 'suspended application');
  const tokenSecret = box.open(requestToken.token_secret, secretContext.requestToken(requestToken.id));
  const caller = { kind: 'request-token', application, requestToken, tokenSecret, verifier: parsed.verifier } as const;
  return { caller, bodyHash: undefined };
}
