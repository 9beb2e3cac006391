import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Authenticate, Authenticated, PresentedCredential } from '../../../contract/declare/callers.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../contract/store/store.ts';
import { credentialProblem } from './credential-problem.ts';
import { parseUnsignedRequest } from './full-parser.ts';
import { isFinal, stateAt } from './request-token-states.ts';

/**
 * Accepts requests that name a request token and a verifier even if the strict check refuses the signature, for clients
 * that sign the last step of a login wrongly or not at all. The verifier is checked later, and wrong ones are counted.
 * @source authentication gaps 7; decision 88
 */
export function lenientAuthenticator(
  strict: Authenticate,
  judging: { readonly store: Store; readonly box: SecretBox; readonly clock: Clock },
): Authenticate {
  return async (parts, origins) => {
    try {
      return await strict(parts, origins);
    } catch (error) {
      const admitted = error instanceof Problem ? await withoutSignature(judging, parts) : undefined;
      if (!admitted) throw error;
      return admitted;
    }
  };
}

/**
 * Undefined where a request lacks token or verifier, or names unknown ones: then the error of the strict check stands.
 */
async function withoutSignature(
  { store, box, clock }: Parameters<typeof lenientAuthenticator>[1],
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
