import Type from 'typebox';
import { callerOf, type RequestTokenCaller } from '../../contract/callers.ts';
import { type AccessToken, secretContext, type User } from '../../contract/credentials.ts';
import { text } from '../../contract/fields.ts';
import type { RequestToken } from '../../contract/grants.ts';
import type { Operation, Services } from '../../contract/operation.ts';
import { type ProblemName, problem } from '../../contract/problems.ts';
import type { Writing } from '../../contract/store.ts';
import { issueToken } from '../../platform/register.ts';
import { after, MISTAKES_MAX, stateAt } from './request-token-states.ts';
import { isVerifier } from './verifier.ts';

/**
 * Ends a login: the request token that a user approved is exchanged for an access token, once.
 * @source authentication: POST /oauth/access_token; authentication gaps 7
 */
export const accessToken: Operation = {
  id: 'oauth.access_token',
  method: 'POST',
  alsoGet: true,
  path: '/oauth/access_token',
  about: 'End a login. The call is signed with the request token.',
  group: 'oauth',
  family: 'numeric',
  credential: 'request-token',
  rate: 'access_tokens',
  isTokenStep: true,
  protocolParameters: {
    oauth_verifier: text({ max: 255 }).required().says('From the callback, or the PIN that the user was shown.'),
  },
  parameters: {},
  body: 'form',
  shape: 'form',
  reply: Type.Object(
    {
      oauth_token: Type.String({ pattern: '^\\d+-[A-Za-z0-9]{40}$' }),
      oauth_token_secret: Type.String({ pattern: '^[A-Za-z0-9]{45}$' }),
      user_id: Type.String({ pattern: '^\\d+$' }),
      screen_name: Type.String(),
    },
    { additionalProperties: false },
  ),
  problems: ['REQUEST_TOKEN_MISSING', 'VERIFIER_MISSING', 'VERIFIER_INVALID'],
  async perform({ services, caller, now }) {
    const presented = callerOf(caller, 'request-token');
    if ((presented.verifier ?? '').trim() === '') throw problem('VERIFIER_MISSING');
    const exchanged = await services.store.write((tx) => exchange(tx, services, presented, now));
    // What a refused exchange counted must stay, so it is told only now.
    if ('refusal' in exchanged) throw problem(exchanged.refusal);
    const { token, tokenSecret, user } = exchanged;
    return {
      data: `oauth_token=${token}&oauth_token_secret=${tokenSecret}&user_id=${user.id}&screen_name=${user.screen_name}`,
    };
  },
};

type Exchanged =
  | { readonly refusal: ProblemName }
  | { readonly token: string; readonly tokenSecret: string; readonly user: User };

/** Exchanges of one request token come one after the other, so that no guess goes uncounted. */
async function exchange(
  tx: Writing,
  services: Services,
  { requestToken, tokenSecret, verifier = '' }: RequestTokenCaller,
  now: string,
): Promise<Exchanged> {
  const found = await tx.requestTokens.lock(requestToken.token);
  const state = found && stateAt(found, now);
  if (!found || !state || (state !== 'issued' && !after(state, 'exchange'))) return { refusal: 'TOKEN_UNKNOWN' };
  if (state === 'issued') return { refusal: 'VERIFIER_INVALID' };
  if (!isVerifier(verifier, tokenSecret, found.verifier_hash)) return countMistake(tx, found);
  const user = await tx.credentials.lockUser(found.user_id!);
  if (!user || user.suspended === 1) return { refusal: 'USER_SUSPENDED' };
  const wiped = { state: after(state, 'exchange')!, token_secret: '', verifier_hash: null };
  if (!(await tx.requestTokens.change(found.id, found.state, wiped))) return { refusal: 'TOKEN_UNKNOWN' };
  return { ...(await tokenFor(tx, services, found, now)), user };
}

async function countMistake(tx: Writing, { id, state, attempts }: RequestToken): Promise<Exchanged> {
  const event = attempts + 1 >= MISTAKES_MAX ? 'last mistake' : 'mistake';
  await tx.requestTokens.change(id, state, { state: after(state, event)!, attempts: attempts + 1 });
  return { refusal: 'VERIFIER_INVALID' };
}

/** The same grant has the same token and secret until it is revoked. @source authentication gaps 4 and 7 */
async function tokenFor(
  tx: Writing,
  { box, secrets }: Services,
  { application_id: application, user_id, access_level: level }: RequestToken,
  now: string,
): Promise<{ token: string; tokenSecret: string }> {
  const user = user_id!;
  const live = await tx.credentials.findLiveTokens(user, application);
  const same = live.find((each: AccessToken) => each.access_level === level);
  if (!same) return issueToken({ tx, box, random: secrets, now }, { application, user, level });
  return { token: same.token, tokenSecret: box.open(same.token_secret, secretContext.token(same.id)) };
}
