import type { AccessToken, Application, ApplicationDraft } from '../../../contract/store/credentials.ts';
import { planChallenges } from '../../../contract/store/webhooks.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { type ApplicationKeys, generateKeys, issueToken, type Registrar } from '../../platform/registration.ts';
import { nextState, type RequestTokenEvent } from '../oauth1/request-token-states.ts';
import { findOrIssueBearer } from '../oauth2/bearer-tokens.ts';

/** States of a request token that can still be exchanged for an access token. */
const OPEN = ['issued', 'authorized'] as const;

/**
 * Changes the settings of an application. Tokens keep the level that they were issued with.
 * @source authentication 4
 */
export async function changeApplication(tx: WriteTransaction, id: string, draft: ApplicationDraft): Promise<void> {
  const { callbacks, ...members } = draft;
  await tx.credentials.changeApplication(id, { ...members, callbacks: JSON.stringify(callbacks) });
  tx.invalidate(`application:${id}`);
}

/**
 * Replaces the keys of an application. The former keys, pending request tokens and the bearer token end at once; access
 * tokens of users go on working.
 * @param former the consumer key to replace.
 * @returns undefined, with nothing changed, when `former` is no longer the consumer key.
 * @source authentication 4 and 8; decision 99
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
 * Suspends or reinstates an application. Suspending voids its pending request tokens; its other tokens are refused
 * until it is reinstated.
 * @source authentication 4, 8 and 10.4; decision 101
 */
export async function suspendApplication(tx: WriteTransaction, id: string, isSuspended: boolean): Promise<void> {
  await tx.credentials.changeApplication(id, { suspended: isSuspended ? 1 : 0 });
  if (isSuspended) await endRequestTokens(tx, { application: id }, 'void');
  tx.invalidate(`application:${id}`);
}

/**
 * Issues an access token of the owner at the access level of the application, and revokes all earlier ones of the
 * owner.
 * @source authentication 4; decision 100
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

/** Revokes the bearer token of an application and issues another. @source authentication 10.4 */
export async function regenerateBearer({ tx, box, random, now }: Registrar, id: string): Promise<string> {
  await tx.credentials.lockApplication(id);
  await revokeBearer(tx, id, now);
  return (await findOrIssueBearer(tx, { box, secrets: random }, id, now)).value;
}

/** Revokes the bearer token of an application. Returns false when there is none. */
export async function revokeBearer(tx: WriteTransaction, id: string, now: string): Promise<boolean> {
  const bearer = await tx.bearerTokens.findOutstanding(id);
  if (!bearer || !(await tx.bearerTokens.revoke(bearer.id, now))) return false;
  tx.invalidate(`bearer:${bearer.id}`);
  return true;
}

/**
 * Withdraws the access of an application to a user: revokes its access tokens, and request tokens that the user has
 * approved. Returns false when there was no access token.
 * @source authentication 8 and 9; decision 102
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
