import type { ProblemName } from '../../../src/contract/problems/problems.ts';
import { askToken, basic, bearerOf, postForm, withBearer } from '../../rig/application.ts';
import type { Reply } from '../../rig/client.ts';
import { begin, prepare, type Step } from '../../rig/login.ts';
import { register, type Standing } from '../../rig/people.ts';
import { type Case, JSON_TYPE, type Said, sandbox, world } from './setting.ts';

const SHOW = '/1.1/users/show.json';
const VERIFY = '/1.1/account/verify_credentials.json';
const STATUS = '/1.1/application/rate_limit_status.json';

const show = (query: string): Promise<Reply> =>
  sandbox({ method: 'GET', target: `${SHOW}?${query}`, keys: world.keys });

/** Takes a step of a login as an application of its own. */
async function login(standing: Standing, step: Omit<Step, 'consumer'>): Promise<Reply> {
  const { url, init } = prepare(world.service.sandboxUrl, world.clock, {
    ...step,
    consumer: await register(world, standing),
  });
  const target = url.slice(world.service.sandboxUrl.length);
  return sandbox({ method: 'POST', target, headers: init.headers as Record<string, string> });
}

const requestToken = (standing: Standing, oauth: Step['oauth'], query: Step['query'] = {}): Promise<Reply> =>
  login(standing, { path: '/oauth/request_token', oauth: oauth ?? {}, query });

/** Exchanges a request token of its own for nothing. */
async function exchange(oauth_verifier: string | undefined): Promise<Reply> {
  const keys = await register(world);
  const token = await begin(world, keys);
  const step: Step = { path: '/oauth/access_token', consumer: keys, token, oauth: { oauth_verifier } };
  const { init } = prepare(world.service.sandboxUrl, world.clock, step);
  return sandbox({ method: 'POST', target: step.path, headers: init.headers as Record<string, string> });
}

const CLIENT: Said = { code: 99, label: 'authenticity_token_error', message: 'Unable to verify your credentials' };
const TOKEN: Said = { code: 89, message: 'invalid or expired token' };
const invalid = (parameter: string): Said => ({ code: 44, message: `${parameter} parameter is invalid.` });

function one(name: ProblemName, input: string, send: () => Promise<Reply>, status: number, error: Said): Case {
  return { name, input, send, status, errors: [error] };
}

/** What the steps of a login, the application-only tokens and the calls about users look for themselves. */
export const tokens: readonly Case[] = [
  one('REPEATED_PARAMETER', 'two ids of a user', () => show('user_id=1&user_id=2'), 400, invalid('user_id')),
  one(
    'NOT_IN_ENUM',
    'a wish for another level',
    () => requestToken({}, { oauth_callback: 'oob' }, { ext_auth_access_type: 'admin' }),
    400,
    invalid('ext_auth_access_type'),
  ),
  one('MISSING_PARAMETER', 'neither id nor name', () => show(''), 403, {
    code: 38,
    message: 'user_id parameter is missing.',
  }),
  one(
    'CALLBACK_NOT_APPROVED',
    'a callback that is not registered',
    () => requestToken({}, { oauth_callback: 'https://elsewhere.example/cb' }),
    403,
    {
      code: 415,
      message:
        'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
    },
  ),
  one(
    'CALLBACK_NOT_OOB',
    'a native application with an address',
    () => requestToken({ isNative: true }, { oauth_callback: 'https://elsewhere.example/cb' }),
    401,
    { code: 417, message: "Desktop applications only support the oauth_callback value 'oob'" },
  ),
  one(
    'REQUEST_TOKEN_MISSING',
    'an exchange of nothing',
    () => login({}, { path: '/oauth/access_token', oauth: { oauth_verifier: '1' } }),
    401,
    { code: 32, message: 'Request token missing' },
  ),
  one('VERIFIER_MISSING', 'an exchange without a verifier', () => exchange(undefined), 401, {
    code: 32,
    message: 'Required oauth_verifier parameter not provided',
  }),
  one('VERIFIER_INVALID', 'an exchange that nobody has approved', () => exchange('1234567'), 401, {
    code: 32,
    message: 'Error processing your OAuth request: Invalid oauth_verifier parameter',
  }),
  one(
    'CLIENT_REFUSED',
    'a wrong secret',
    () => askToken(world, { ...world.keys, consumer_secret: 'wrong' }),
    403,
    CLIENT,
  ),
  one(
    'CLIENT_TOO_OFTEN',
    'one call more than the window has',
    async () => {
      const keys = await register(world);
      await askToken(world, keys);
      return askToken(world, keys);
    },
    403,
    CLIENT,
  ),
  one(
    'GRANT_TYPE_UNKNOWN',
    'a grant for a password',
    async () => askToken(world, await register(world), 'grant_type=password'),
    403,
    CLIENT,
  ),
  one('GRANT_TYPE_MISSING', 'no grant', async () => askToken(world, await register(world), ''), 403, {
    code: 170,
    label: 'forbidden_missing_parameter',
    message: 'Missing required parameter: grant_type',
  }),
  one('TEXT_EMPTY', 'an empty name', () => show('screen_name='), 400, invalid('screen_name')),
  one(
    'TEXT_TOO_LONG',
    'a name of 51 characters',
    () => show(`screen_name=${'x'.repeat(51)}`),
    400,
    invalid('screen_name'),
  ),
  one('ILLEGAL_CHARACTERS', 'a control character', () => show('screen_name=a%00'), 400, invalid('screen_name')),
  one(
    'NOT_TEXT',
    'an object for a token',
    async () => {
      const keys = await register(world);
      const body = '{"access_token":{"a":1}}';
      return sandbox({ method: 'POST', target: '/oauth2/invalidate_token', keys, headers: JSON_TYPE, body });
    },
    400,
    invalid('access_token'),
  ),
  one(
    'NOT_BOOLEAN',
    'perhaps',
    () => sandbox({ method: 'GET', target: `${VERIFY}?include_email=perhaps`, keys: world.keys }),
    400,
    invalid('include_email'),
  ),
  one(
    'TOO_FEW_ITEMS',
    'a list of blanks',
    () => sandbox({ method: 'GET', target: `${STATUS}?resources=,`, keys: world.keys }),
    400,
    invalid('resources'),
  ),
  one(
    'TOO_MANY_ITEMS',
    'a list of 51',
    () => {
      const list = Array.from({ length: 51 }, (_, index) => `r${index}`);
      return sandbox({ method: 'GET', target: `${STATUS}?resources=${list}`, keys: world.keys });
    },
    400,
    invalid('resources'),
  ),
  one(
    'BEARER_NOT_OWN',
    'the token of another application',
    async () => {
      const value = await bearerOf(world, await register(world));
      const own = await register(world);
      return postForm(world, '/oauth2/invalidate_token', basic(own), `access_token=${value}`);
    },
    403,
    { code: 348, message: 'Client application is not permitted to invalidate this token.' },
  ),
  one('BEARER_INVALID', 'a token that was never issued', () => withBearer(world, 'AAAA', SHOW), 401, TOKEN),
  one('USER_NOT_FOUND', 'a name that nobody has', () => show('screen_name=nobody'), 404, {
    code: 50,
    message: 'User not found.',
  }),
  one(
    'USER_SHOWN_SUSPENDED',
    'a user who is suspended',
    async () => show(`user_id=${(await register(world, { isUserSuspended: true })).user}`),
    403,
    { code: 63, message: 'User has been suspended.' },
  ),
];
