import type { AccessToken, Application, ApplicationDraft } from '../../../contract/store/credentials.ts';
import type { WriteTransaction } from '../../../contract/store/store.ts';
import { planChallenges } from '../../../contract/store/webhooks.ts';
import { type ApplicationKeys, generateKeys, issueToken, type Registrar } from '../../platform/registration.ts';
import { nextState, type RequestTokenEvent } from '../oauth1/request-token-states.ts';
import { findOrIssueBearer } from '../oauth2/bearer-tokens.ts';

/** States of a request token in which something can still come of it. */
const OPEN = ['issued', 'authorized'] as const;

/** Changes what an application says about itself. Tokens keep the level that they were given. @source authentication gaps 4 */
export async function changeApplication(tx: WriteTransaction, id: string, draft: ApplicationDraft): Promise<void> {
  const { callbacks, ...members } = draft;
  await tx.credentials.changeApplication(id, { ...members, callbacks: JSON.stringify(callbacks) });
  tx.invalidate(`application:${id}`);
}

/**
 * Gives an application new keys. The former ones end at once, and with them logins under way and the bearer token;
 * tokens of users go on working.
 * @param former the consumer key that is replaced; undefined when it no longer is the key, and nothing is done.
 * @source authentication gaps 4 and 8
 */
export async function regenerateKeys(
  registrar: Registrar,
  id: string,
  former: string,
): Promise<ApplicationKeys | undefined> {
  const { tx, now } = registrar;
  const application = await tx.credentials.lockApplication(id);
  if (application?.consumer_key !== former) return undefined;
  const { keys, stored } = generateKeys(registrar, id);
  await tx.credentials.changeApplication(id, stored);
  await endRequestTokens(tx, { application: id }, 'void');
  await revokeBearer(tx, id, now);
  await planChallenges(tx, id, now);
  tx.invalidate(`application:${id}`);
  return keys;
}

/**
 * Suspends an application, or lets it work again. A suspended one loses its logins under way; its tokens are refused
 * until it works again.
 * @source authentication gaps 4, 8 and 10.4
 */
export async function suspendApplication(tx: WriteTransaction, id: string, isSuspended: boolean): Promise<void> {
  await tx.credentials.changeApplication(id, { suspended: isSuspended ? 1 : 0 });
  if (isSuspended) await endRequestTokens(tx, { application: id }, 'void');
  tx.invalidate(`application:${id}`);
}

/**
 * Issues an access token of the owner at the level of the application; former ones of the owner are revoked.
 * @source authentication gaps 4
 */
export async function issueOwnerToken(
  registrar: Registrar,
  { id, owner_user_id: user, access_level: level }: Application,
): Promise<{ id: string; token: string; tokenSecret: string }> {
  const { tx, now } = registrar;
  await tx.credentials.lockUser(user);
  await revokeAll(tx, await tx.credentials.findLiveTokens(user, id), now);
  return issueToken(registrar, { application: id, user, level });
}

/** Revokes the bearer token of an application and issues another. @source authentication gaps 10.4 */
export async function regenerateBearer({ tx, box, random, now }: Registrar, id: string): Promise<string> {
  await tx.credentials.lockApplication(id);
  await revokeBearer(tx, id, now);
  return (await findOrIssueBearer(tx, { box, secrets: random }, id, now)).value;
}

/** Revokes the bearer token of an application; false when there is none. */
export async function revokeBearer(tx: WriteTransaction, id: string, now: string): Promise<boolean> {
  const bearer = await tx.bearerTokens.findOutstanding(id);
  if (!bearer || !(await tx.bearerTokens.revoke(bearer.id, now))) return false;
  tx.invalidate(`bearer:${bearer.id}`);
  return true;
}

/**
 * Takes from an application all that a user gave it: tokens, and logins that wait for their exchange. False when it
 * has nothing.
 * @source authentication gaps 8 and 9
 */
export async function revokeAccess(
  tx: WriteTransaction,
  { user, application }: { readonly user: string; readonly application: string },
  now: string,
): Promise<boolean> {
  await tx.credentials.lockUser(user);
  const tokens = await tx.credentials.findLiveTokens(user, application);
  await revokeAll(tx, tokens, now);
  await endRequestTokens(tx, { application, user }, 'withdraw');
  return tokens.length > 0;
}

async function revokeAll(tx: WriteTransaction, tokens: readonly AccessToken[], now: string): Promise<void> {
  for (const { id } of tokens) {
    await tx.credentials.revokeToken(id, now);
    tx.invalidate(`token:${id}`);
  }
}

async function endRequestTokens(
  tx: WriteTransaction,
  whose: { readonly application: string; readonly user?: string },
  event: RequestTokenEvent,
): Promise<void> {
  for (const state of OPEN) {
    const next = nextState(state, event);
    if (next) await tx.requestTokens.changeAll(whose, state, { state: next, verifier_hash: null, token_secret: '' });
  }
}
