import type { Family, ProblemName } from '../../../src/contract/problems/problems.ts';
import { bearerOf } from '../../rig/application.ts';
import type { Keys, Reply } from '../../rig/client.ts';
import { register } from '../../rig/people.ts';
import type { RawCall } from '../../rig/raw.ts';
import { as, type Case, FORM, home, JSON_TYPE, type Said, sandbox, world } from './setting.ts';

const TARGETS = { numeric: '/1.1/oauth/invalidate_token', problem: '/2/media/upload', flat: '/1.1/media/upload' };

/** What ends a call before it is known what it asks for; said once for each family. */
export function beforeAll(family: Family): Case[] {
  const isAds = family === 'ads';
  const call: RawCall =
    family === 'ads' ? { method: 'GET', target: '/12/accounts' } : { method: 'POST', target: TARGETS[family] };
  const say = (
    name: ProblemName,
    input: string,
    send: () => Promise<Reply>,
    ads: readonly [number, Said],
    numeric: readonly [number, Said],
  ): Case => {
    const [status, error] = isAds ? ads : numeric;
    return { name, input, send, status, errors: [error] };
  };
  const stranger: Said = { code: 'UNAUTHORIZED_ACCESS', message: 'This request is not properly authenticated' };
  const signed = (keys: Partial<Keys>, more: Partial<RawCall> = {}) =>
    sandbox({ ...call, ...more, keys: { ...world.keys, ...keys } });
  return [
    say(
      'TLS_REQUIRED',
      'plain HTTP to another host',
      () => sandbox({ ...call, headers: { host: 'ads.example' } }),
      [403, { code: 92, message: 'SSL is required' }],
      [403, { code: 92, message: 'SSL is required' }],
    ),
    say(
      'CREDENTIAL_UNUSABLE',
      'no credential',
      () => sandbox(call),
      [401, stranger],
      [400, { code: 215, message: 'Bad Authentication data.' }],
    ),
    say(
      'BEARER_NOT_ALLOWED',
      'a bearer credential',
      async () => {
        const value = await bearerOf(world, await register(world));
        return sandbox({ ...call, headers: { authorization: `Bearer ${value}` } });
      },
      [401, stranger],
      [403, { code: 220, message: 'Your credentials do not allow access to this resource.' }],
    ),
    say(
      'BEARER_INVALID',
      'a bearer token that was never issued',
      () => sandbox({ ...call, headers: { authorization: 'Bearer AAAA' } }),
      [401, stranger],
      [401, { code: 89, message: 'invalid or expired token' }],
    ),
    say(
      'TIMESTAMP_OUT_OF_BOUNDS',
      'a clock that is ten minutes late',
      () => signed({}, { skew_s: -600 }),
      [401, stranger],
      [401, { code: 135, message: 'Timestamp out of bounds.' }],
    ),
    say(
      'SIGNATURE_REFUSED',
      'a wrong token secret',
      () => signed({ access_token_secret: 'wrong' }),
      [401, stranger],
      [401, { code: 32, message: 'Could not authenticate you.' }],
    ),
    say(
      'TOKEN_UNKNOWN',
      'a token that was never issued',
      () => signed({ access_token: '1-nobody' }),
      [401, stranger],
      [401, { code: 89, message: 'invalid or expired token' }],
    ),
    say(
      'TOKEN_REVOKED',
      'a revoked token',
      () => as({ isRevoked: true }, call),
      [401, { code: 89, message: 'invalid or expired token' }],
      [401, { code: 89, message: 'invalid or expired token' }],
    ),
    say(
      'APPLICATION_SUSPENDED',
      'a suspended application',
      () => as({ isApplicationSuspended: true }, call),
      [401, { code: 416, message: 'Invalid / suspended application' }],
      [401, { code: 416, message: 'Invalid / suspended application' }],
    ),
    say(
      'USER_SUSPENDED',
      'a suspended user',
      () => as({ isUserSuspended: true }, call),
      [403, { code: 'CURRENT_USER_SUSPENDED', message: 'The current user is suspended' }],
      [403, { code: 64, message: 'Your account is suspended and is not permitted to access this feature.' }],
    ),
    say(
      'USER_LOCKED',
      'a locked user',
      () => as({ isUserLocked: true }, call),
      [403, { code: 'ACCOUNT_LOCKED_OUT', message: 'The current user is locked out' }],
      [
        403,
        {
          code: 326,
          message: 'To protect our users from spam and other malicious activity, this account is temporarily locked.',
        },
      ],
    ),
    say(
      'HEADER_TOO_LARGE',
      'an Authorization header of 9000 bytes',
      () => sandbox({ ...call, headers: { authorization: 'x'.repeat(9000) } }),
      [431, stranger],
      [431, { code: 215, message: 'Bad Authentication data.' }],
    ),
    say(
      'BODY_TOO_LARGE',
      'a form of 3000 bytes where 2048 may come',
      () => sandbox({ ...call, headers: FORM, body: 'x'.repeat(3000) }),
      [413, { code: 'INVALID_PARAMETER', message: 'The request body has more than 2048 bytes' }],
      [413, { code: 44, message: 'The request body has more than 2048 bytes.' }],
    ),
    say(
      'NOT_JSON',
      'half a JSON document',
      () => as({}, { ...call, headers: JSON_TYPE, body: '{"a"' }),
      [400, { code: 'INVALID_PARAMETER', message: 'Request body is not valid JSON' }],
      [400, { code: 44, message: 'body parameter is invalid.' }],
    ),
    say(
      'INTERNAL',
      'a database that fails',
      () => world.whileBroken(() => signed({})),
      [500, { code: 'INTERNAL_ERROR', message: 'Internal error' }],
      [500, { code: 131, message: 'Internal error' }],
    ),
    say(
      'UNAVAILABLE',
      'a database that cannot be reached',
      () => world.whileUnreachable(() => signed({})),
      [
        503,
        {
          code: 'SERVICE_UNAVAILABLE',
          message: 'Service unavailable due to request timeout; please try the request again later',
        },
      ],
      [503, { code: 130, message: 'Over capacity' }],
    ),
    say(
      'RATE_LIMITED',
      'one call more than the window has',
      async () => {
        // What is not JSON is found after the call was counted, and revokes nothing.
        const target = isAds ? `${home.path}/funding_instruments` : call.target;
        const again = { ...call, target, headers: JSON_TYPE, body: '{' };
        await signed({}, again);
        return signed({}, again);
      },
      [
        429,
        {
          code: 'TOO_MANY_REQUESTS',
          message: 'Request limit has been exceeded; retry after the time in x-rate-limit-reset',
        },
      ],
      [429, { code: 88, message: 'Rate limit exceeded' }],
    ),
    say(
      'ROUTE_UNKNOWN',
      'a path that nothing has',
      () => sandbox({ ...call, target: isAds ? '/12/nothing' : '/1.1/nothing' }),
      [404, { code: 'ROUTE_NOT_FOUND', message: 'The requested resource could not be found' }],
      [404, { code: 34, message: 'Sorry, that page does not exist.' }],
    ),
    say(
      'METHOD_UNKNOWN',
      'PATCH',
      () => sandbox({ ...call, method: 'PATCH' }),
      [405, { code: 'METHOD_NOT_ALLOWED', message: 'PATCH is not allowed on this resource' }],
      [405, { code: 86, message: 'This method requires a POST.' }],
    ),
  ];
}
