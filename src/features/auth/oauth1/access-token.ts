import { Type } from '../../../base/json-schema.ts';
import { callerOf, type RequestTokenCaller } from '../../../contract/declare/callers.ts';
import { text } from '../../../contract/declare/fields.ts';
import type { Operation, Services } from '../../../contract/declare/operation.ts';
import { type ProblemName, problem } from '../../../contract/problems/problems.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { AccessToken, User } from '../../../contract/store/credentials.ts';
import type { LoginSettings, RequestToken } from '../../../contract/store/grants.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { issueToken } from '../../platform/registration.ts';
import { nextState, stateAt, wrongVerifierEvent } from './request-token-states.ts';
import { matchesVerifier, normalizeVerifier } from './verifier.ts';

/**
 * Exchanges a request token that a user has approved for an access token, once.
 * @source authentication 0.12, 7
 */
export const accessToken: Operation = {
  id: 'oauth.access_token',
  method: 'POST',
  allowsGet: true,
  path: '/oauth/access_token',
  description: 'Exchange an approved request token for an access token. Signed with the request token.',
  group: 'oauth',
  family: 'numeric',
  credential: 'request-token',
  rate: 'access_tokens',
  protocolParameters: {
    oauth_verifier: text({ max: 255 })
      .required()
      .describe('The verifier from the callback, or the PIN shown to the user.'),
  },
  parameters: {},
  body: 'form',
  shape: 'form',
  reply: Type.Closed({
    oauth_token: Type.String({ pattern: '^\\d+-[A-Za-z0-9]{40}$' }),
    oauth_token_secret: Type.String({ pattern: '^[A-Za-z0-9]{45}$' }),
    user_id: Type.String({ pattern: '^\\d+$' }),
    screen_name: Type.String(),
  }),
  problems: ['REQUEST_TOKEN_MISSING', 'VERIFIER_MISSING', 'VERIFIER_INVALID'],
  async perform({ services, caller, now, audit, recordAudit }) {
    const presented = callerOf(caller, 'request-token');
    // An exchanged request token is unknown by now, with or without a verifier.
    const isOver = presented.requestToken.state === 'exchanged';
    if (!isOver && (presented.verifier ?? '').trim() === '') throw problem('VERIFIER_MISSING');
    const exchanged = await services.store.write(async (tx) => {
      const outcome = await exchange(tx, services, presented, now);
      for (const event of outcome.auditEvents) await recordAudit(tx, event);
      return outcome;
    });
    for (const event of exchanged.auditEvents) audit(event);
    // A refused exchange keeps its changes, so the problem is thrown after the unit of work.
    if ('refusal' in exchanged) throw problem(exchanged.refusal);
    const { token, tokenSecret, user } = exchanged;
    return {
      data: `oauth_token=${token}&oauth_token_secret=${tokenSecret}&user_id=${user.id}&screen_name=${user.screen_name}`,
    };
  },
};

type Exchanged = { readonly auditEvents: readonly AuditedEvent[] } & (
  | { readonly refusal: ProblemName }
  | { readonly token: string; readonly tokenSecret: string; readonly user: User }
);

/** Exchanges a request token under a lock, so that parallel guesses at its verifier are all counted. */
async function exchange(
  tx: WriteTransaction,
  services: Services,
  { requestToken, tokenSecret, verifier: input = '' }: RequestTokenCaller,
  now: string,
): Promise<Exchanged> {
  const verifier = normalizeVerifier(requestToken.callback, input);
  const found = await tx.requestTokens.lock(requestToken.token);
  const state = found && stateAt(found, now);
  const isAgain = state === 'exchanged' && matchesVerifier(verifier, tokenSecret, found!.verifier_hash);
  if (isAgain && services.auth.loginRules.revoke_on_verifier_reuse) return takeBack(tx, found!, now);
  if (!found || !state || (state !== 'issued' && !nextState(state, 'exchange'))) return refused('TOKEN_UNKNOWN');
  if (state === 'issued') return refused('VERIFIER_INVALID');
  if (!matchesVerifier(verifier, tokenSecret, found.verifier_hash))
    return countMistake(tx, found, services.auth.loginRules);
  const user = await tx.credentials.lockUser(found.user_id!);
  if (!user || user.suspended === 1) return refused('USER_SUSPENDED');
  if (user.locked === 1) return refused('USER_LOCKED');
  const next = nextState(state, 'exchange')!;
  if (!(await tx.requestTokens.change(found.id, found.state, { state: next, ...WIPED })))
    return refused('TOKEN_UNKNOWN');
  const same = await sameGrant(tx, found);
  if (same) {
    const secret = services.box.open(same.token_secret, secretContext.token(same.id));
    return { token: same.token, tokenSecret: secret, user, auditEvents: [] };
  }
  const made = await issueToken(
    { tx, box: services.box, random: services.secrets, now },
    { application: found.application_id, user: user.id, level: found.access_level },
  );
  // Keep what identifies a second exchange, and the token that it revokes.
  const { token_secret, verifier_hash } = found;
  const kept = { token_secret, verifier_hash, made_token_id: made.id };
  if (services.auth.loginRules.revoke_on_verifier_reuse) await tx.requestTokens.change(found.id, next, kept);
  return {
    token: made.token,
    tokenSecret: made.tokenSecret,
    user,
    auditEvents: [auditEventOf('token_issued', found, made.id)],
  };
}

const WIPED = { token_secret: '', verifier_hash: null, made_token_id: null };

function refused(refusal: ProblemName, auditEvents: readonly AuditedEvent[] = []): Exchanged {
  return { refusal, auditEvents };
}

/** Counts a wrong verifier of an approved request token; the last one allowed ends the token. @source decision 70 */
async function countMistake(tx: WriteTransaction, found: RequestToken, rules: LoginSettings): Promise<Exchanged> {
  const { id, state, attempts } = found;
  const event = wrongVerifierEvent(attempts, rules);
  await tx.requestTokens.change(id, state, { state: nextState(state, event)!, attempts: attempts + 1 });
  return refused('VERIFIER_INVALID');
}

/**
 * Finds the live token of the same grant: it is issued again until it is revoked.
 * @source authentication 4 and 7
 */
async function sameGrant(tx: WriteTransaction, found: RequestToken): Promise<AccessToken | undefined> {
  const live = await tx.credentials.findLiveTokens(found.user_id!, found.application_id);
  return live.find((each) => each.access_level === found.access_level);
}

/**
 * Revokes the token of the first exchange, because the verifier may have been stolen.
 * @source authentication 7; decision 89
 */
async function takeBack(tx: WriteTransaction, found: RequestToken, now: string): Promise<Exchanged> {
  const made = found.made_token_id!;
  const isRevoked = await tx.credentials.revokeToken(made, now);
  tx.invalidate(`token:${made}`);
  await tx.requestTokens.change(found.id, found.state, WIPED);
  return refused('TOKEN_UNKNOWN', isRevoked ? [auditEventOf('token_revoked', found, made)] : []);
}

/** An audit event that names the token by the id of its row. @source decision 92 */
function auditEventOf(
  event: AuditedEvent['event'],
  { user_id, application_id }: RequestToken,
  token_id: string,
): AuditedEvent {
  return { event, user_id: user_id!, application_id, token_id };
}
