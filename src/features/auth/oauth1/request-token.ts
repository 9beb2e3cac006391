import { instantMs } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';
import { callerOf } from '../../../contract/declare/callers.ts';
import { oneOf, text } from '../../../contract/declare/fields.ts';
import type { Input, Operation } from '../../../contract/declare/operation.ts';
import { type ErrorDetail, Problem, problem } from '../../../contract/problems/problems.ts';
import type { AccessLevel, Application } from '../../../contract/store/credentials.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import { nearestCallback, refuseCallback } from '../callback-urls.ts';
import { expiryFrom } from './request-token-states.ts';

/**
 * Begins a login: the application names the callback for the user, and gets a request token.
 * @source authentication 0.9, 5
 */
export const requestToken: Operation = {
  id: 'oauth.request_token',
  method: 'POST',
  allowsGet: true,
  path: '/oauth/request_token',
  description: 'Get a request token, which starts a login. Signed with the consumer key alone.',
  group: 'oauth',
  groupDescription: 'Access tokens, with which an application acts for a user (OAuth 1.0a).',
  family: 'numeric',
  credential: 'consumer',
  rate: 'request_tokens',
  protocolParameters: {
    oauth_callback: text({ max: 2048 })
      .required()
      .describe('The callback URL to redirect users to, as registered; `oob` for a PIN.'),
  },
  parameters: {
    ext_auth_access_type: oneOf('read', 'write').describe('Requested access level; at most that of the application.'),
    x_auth_access_type: oneOf('read', 'write').describe('Alias of `ext_auth_access_type`.'),
  },
  body: 'form',
  shape: 'form',
  reply: Type.Closed({
    oauth_token: Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9_-]{26}$' }),
    oauth_token_secret: Type.String({ pattern: '^[A-Za-z0-9]{32}$' }),
    oauth_callback_confirmed: Type.Literal('true'),
  }),
  problems: ['MISSING_PARAMETER', 'CALLBACK_NOT_APPROVED', 'CALLBACK_NOT_OOB'],
  validate: levelErrors,
  async perform({ services, caller, input, address, now }) {
    const { application, callback = '' } = callerOf(caller, 'application');
    checkCallback(application, callback);
    const { store, box, secrets, auth } = services;
    const [token, secret] = [tokenText(secrets), alphanumeric(secrets, 32)];
    await store.write(async (tx) => {
      const id = String(await tx.takeNumbers('request_token', 1, 1));
      await tx.requestTokens.add({
        id,
        token,
        token_secret: box.seal(secret, secretContext.requestToken(id)),
        application_id: application.id,
        callback,
        access_level: levelOf(application.access_level, input.ext_auth_access_type ?? input.x_auth_access_type),
        state: 'issued',
        user_id: null,
        verifier_hash: null,
        attempts: 0,
        force_login: 0,
        address,
        created_at: now,
        expires_at: expiryFrom('issued', instantMs(now), auth.loginRules),
        made_token_id: null,
      });
    });
    return { data: `oauth_token=${token}&oauth_token_secret=${secret}&oauth_callback_confirmed=true` };
  },
};

/**
 * Errors of the requested access level: an empty value is invalid, and both names must have the same value.
 * @source authentication 0 and 5; decision 72
 */
function levelErrors({ ext_auth_access_type: requested, x_auth_access_type: alias }: Input): readonly ErrorDetail[] {
  if (requested !== null && alias === null) return [{ problem: 'NOT_IN_ENUM', parameter: 'x_auth_access_type' }];
  const isValid = requested !== null && (requested === alias || requested === undefined || alias === undefined);
  return isValid ? [] : [{ problem: 'NOT_IN_ENUM', parameter: 'ext_auth_access_type' }];
}

/**
 * The access level to grant: never above that of the application; `write` does not include direct messages.
 * @source authentication 5
 */
function levelOf(application: AccessLevel, requested: unknown): AccessLevel {
  if (requested === 'read') return 'read';
  return requested === 'write' && application !== 'read' ? 'read-write' : application;
}

/**
 * Checks the callback of a login; the hint, for development mode, names the nearest registered one.
 * @source decision 80
 */
function checkCallback(application: Application, callback: string): void {
  if (callback === '') throw problem('MISSING_PARAMETER', { parameter: 'oauth_callback' });
  const error = refuseCallback(application, callback);
  if (error === 'not oob') throw problem('CALLBACK_NOT_OOB');
  if (error === undefined) return;
  const nearest = nearestCallback(application, callback);
  const hint = `received callback ${callback}; nearest registered ${nearest ?? 'none: no callback is registered'}`;
  throw new Problem([{ problem: 'CALLBACK_NOT_APPROVED' }], { because: 'callback is not registered', hint });
}

/**
 * 27 characters that need no escaping in a URL; the first is not a dash, which some command lines take for an option.
 */
function tokenText(random: Random): string {
  const text = random.bytes(24).toString('base64url').slice(0, 26);
  return alphanumeric(random, 1) + text;
}
