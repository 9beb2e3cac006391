import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkReply } from '../rig/validation.ts';

const HEADERS = {
  'content-type': 'application/json;charset=utf-8',
  'x-transaction-id': '0123456789abcdef',
  'x-current-api-version': '12',
  'x-access-level': 'read-write',
  'x-rate-limit-limit': '2000',
  'x-rate-limit-remaining': '1999',
  'x-rate-limit-reset': '1772471095',
};
const ACCOUNT = {
  id: 'gq4k2m',
  name: 'Ground',
  business_name: null,
  business_id: null,
  timezone: 'America/Los_Angeles',
  timezone_switch_at: null,
  industry_type: null,
  approval_status: 'ACCEPTED',
  created_at: '2026-03-02T17:04:55Z',
  updated_at: '2026-03-02T17:04:55Z',
  deleted: false,
};
const { name: _, ...NAMELESS } = ACCOUNT;
const { 'x-rate-limit-reset': __, ...UNCOUNTED } = HEADERS;
const GOOD = { request: { params: { account_id: 'gq4k2m' } }, data: ACCOUNT };
const lost = { code: 'NOT_FOUND', message: 'Account gq4k2m was not found', parameter: 'account_id', value: 'gq4k2m' };
const GONE = { errors: [lost], request: { params: { account_id: 'gq4k2m' } } };

interface Input {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

function check({ method = 'GET', path = '/12/accounts/gq4k2m', status = 200, headers = HEADERS, body = GOOD }: Input) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  checkReply(method, `http://127.0.0.1:8081${path}`, status, new Headers(headers), text);
}

describe('a reply that fits the description', () => {
  const good: readonly (readonly [string, Input])[] = [
    ['the documented one', {}],
    ['with a trailing slash and a query', { path: '/12/accounts/gq4k2m/?x=1' }],
    ['a declared problem', { status: 404, body: GONE }],
    ['HEAD, without a body', { method: 'HEAD', body: '' }],
    ['OPTIONS, which says what is allowed', { method: 'OPTIONS', status: 204, headers: { allow: 'GET' }, body: '' }],
    ['of the service itself', { path: '/livez', body: 'anything' }],
  ];
  for (const [what, input] of good) test(`${what} passes`, () => check(input));
});

describe('a reply that does not fit the description', () => {
  const bad: readonly (readonly [string, Input, RegExp])[] = [
    ['without a member', { body: { ...GOOD, data: NAMELESS } }, /must have required property 'name'/],
    ['with a member too many', { body: { ...GOOD, data: { ...ACCOUNT, more: 1 } } }, /additional properties \(more\)/],
    ['with a wrong type', { body: { ...GOOD, data: { ...ACCOUNT, deleted: 0 } } }, /\/data\/deleted must be boolean/],
    ['with a null that cannot be', { body: { ...GOOD, data: { ...ACCOUNT, name: null } } }, /\/data\/name must be/],
    [
      'with a word that is not listed',
      { body: { ...GOOD, data: { ...ACCOUNT, industry_type: 'X' } } },
      /allowed values/,
    ],
    [
      'with a time of another form',
      { body: { ...GOOD, data: { ...ACCOUNT, created_at: '2026-03-02T17:04:55.000Z' } } },
      /must match pattern/,
    ],
    ['without the echo', { body: { data: ACCOUNT } }, /must have required property 'request'/],
    [
      'with an echo of what nobody declared',
      { body: { ...GOOD, request: { params: { account_id: 'a', b: 1 } } } },
      /\(b\)/,
    ],
    ['with another envelope', { body: { ...GOOD, next_cursor: null } }, /\(next_cursor\)/],
    ['with a status that is not declared', { status: 409 }, /a status that accounts.get does not declare/],
    ['with a problem of another status', { status: 400, body: GONE }, /what the description does not allow/],
    [
      'with another message',
      { status: 404, body: { ...GONE, errors: [{ ...lost, message: 'Gone' }] } },
      /what the description does not allow/,
    ],
    ['without a header', { headers: UNCOUNTED }, /without x-rate-limit-reset/],
    ['with a header of another form', { headers: { ...HEADERS, 'x-transaction-id': 'abc' } }, /x-transaction-id: abc/],
    ['of another type', { headers: { ...HEADERS, 'content-type': 'text/html' } }, /content type text\/html/],
    ['that is no JSON', { body: '<html>' }, /not JSON/],
    ['to a path that nothing has', { path: '/12/nothing' }, /where no operation is: expected 404/],
    ['to a method that the path has not', { method: 'PATCH', status: 404, body: GONE }, /expected 405/],
  ];
  for (const [what, input, said] of bad) test(`${what} is refused`, () => assert.throws(() => check(input), said));
});
