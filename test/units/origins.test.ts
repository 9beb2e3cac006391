import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { Problem } from '../../src/contract/problems/problems.ts';
import { type OriginRules, originsReader } from '../../src/http/request-origin.ts';

const from = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;

const reach = (more: Partial<OriginRules>): OriginRules => ({
  trustedProxies: [],
  allowsPlainHttp: true,
  endsTls: false,
  publicOrigins: [],
  allowsOtherHosts: false,
  ...more,
});

const PUBLIC = ['https://ads.example.org', 'https://api.example.org'];

test('without a public origin a signature is for the host that the caller names', () => {
  const origins = originsReader(reach({}));
  assert.deepEqual(origins(from({ host: 'localhost:8080' })), ['http://localhost:8080']);
});

test('with public origins no other is accepted, whatever host the caller names', () => {
  const origins = originsReader(reach({ publicOrigins: PUBLIC, endsTls: true }));
  assert.deepEqual(origins(from({ host: 'ads.example.org' })), PUBLIC);
  assert.deepEqual(origins(from({ host: 'API.example.org:443' })), PUBLIC.toReversed());
  // A proxy that does not pass the host on.
  assert.deepEqual(origins(from({ host: '10.0.0.7:8080' })), PUBLIC);
  assert.deepEqual(origins(from({ host: 'evil.example' })), PUBLIC);
});

test('in development the named host is accepted too', () => {
  const origins = originsReader(reach({ publicOrigins: PUBLIC.slice(0, 1), allowsOtherHosts: true }));
  assert.deepEqual(origins(from({ host: 'localhost:8080' })), ['https://ads.example.org', 'http://localhost:8080']);
});

test('a trusted proxy is believed, but only its own entry: the last', () => {
  const origins = originsReader(reach({ trustedProxies: ['10.0.0.0/8'] }));
  const forwarded = {
    host: 'inner',
    'x-forwarded-proto': 'http, https',
    'x-forwarded-host': 'evil.example, b.example',
  };
  assert.deepEqual(origins(from(forwarded, '10.1.1.1')), ['https://b.example']);
  assert.deepEqual(origins(from({ ...forwarded, 'x-forwarded-host': 'a@b/c' }, '10.1.1.1')), ['https://inner']);
  assert.throws(() => origins(from(forwarded, '192.0.2.1')), Problem);
  assert.throws(() => origins(from({ ...forwarded, 'x-forwarded-proto': 'https, ftp' }, '10.1.1.1')), Problem);
});
