import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../src/base/random.ts';
import {
  type LoginSettings,
  REQUEST_TOKEN_STATES,
  type RequestToken,
  type RequestTokenState,
} from '../../src/contract/store/grants.ts';
import {
  expiryFrom,
  isFinal,
  nextState,
  type RequestTokenEvent,
  stateAt,
  wrongVerifierEvent,
} from '../../src/features/auth/oauth1/request-token-states.ts';
import {
  makeVerifier,
  matchesVerifier,
  normalizeVerifier,
  verifierHash,
} from '../../src/features/auth/oauth1/verifier.ts';

const RULES: LoginSettings = {
  request_token_ttl_s: 900,
  verifier_ttl_s: 600,
  verifier_attempts_max: 5,
  revoke_on_verifier_reuse: false,
};

const EVENTS: readonly RequestTokenEvent[] = [
  'approve',
  'deny',
  'exchange',
  'mistake',
  'last mistake',
  'withdraw',
  'void',
];

describe('the life of a request token', () => {
  // Every pair of state and event that leads anywhere, as the reference has them.
  const steps: Partial<Record<`${RequestTokenState} ${RequestTokenEvent}`, RequestTokenState>> = {
    'issued approve': 'authorized',
    'issued deny': 'denied',
    'authorized exchange': 'exchanged',
    'authorized mistake': 'authorized',
    'authorized last mistake': 'expired',
    'authorized withdraw': 'denied',
    'issued void': 'expired',
    'authorized void': 'expired',
  };
  for (const state of REQUEST_TOKEN_STATES) {
    for (const event of EVENTS) {
      const next = steps[`${state} ${event}`];
      test(`${state}, ${event}: ${next ?? 'refused'}`, () => assert.equal(nextState(state, event), next));
    }
  }

  test('the fifth failure is the last, when five are allowed', () => {
    const events = [0, 1, 2, 3, 4].map((attempts) => wrongVerifierEvent(attempts, RULES));
    assert.deepEqual(events, [...Array(4).fill('mistake'), 'last mistake']);
    assert.equal(wrongVerifierEvent(0, { ...RULES, verifier_attempts_max: 1 }), 'last mistake');
  });

  test('three states are final', () => {
    assert.deepEqual(REQUEST_TOKEN_STATES.filter(isFinal), ['denied', 'expired', 'exchanged']);
  });

  test('two states expire, after their last second', () => {
    const now_ms = Date.parse('2026-03-02T17:00:00Z');
    assert.equal(expiryFrom('issued', now_ms, RULES), '2026-03-02T17:15:00Z');
    assert.equal(expiryFrom('authorized', now_ms, RULES), '2026-03-02T17:10:00Z');
    for (const state of REQUEST_TOKEN_STATES) {
      const token = { state, expires_at: '2026-03-02T17:10:00Z' } as RequestToken;
      assert.equal(stateAt(token, '2026-03-02T17:10:00Z'), state);
      assert.equal(stateAt(token, '2026-03-02T17:10:01Z'), isFinal(state) ? state : 'expired');
    }
  });
});

describe('a verifier', () => {
  test('has 7 digits to copy, or 32 characters in a URL', () => {
    const random = seededRandom(1, 'verifiers');
    const pins = Array.from({ length: 2000 }, () => makeVerifier('oob', random));
    for (const pin of pins) assert.match(pin, /^\d{7}$/);
    assert.equal(new Set(pins.map((pin) => pin[0])).size, 10, 'any digit comes first, zero too');
    assert.match(makeVerifier('https://a.example/', random), /^[A-Za-z0-9]{32}$/);
  });

  const readings: [callback: string, input: string, counts: string][] = [
    ['oob', '0731946', '0731946'],
    ['oob', ' 073 1946\n', '0731946'],
    ['oob', '073-1946', '0731946'],
    ['oob', 'wrong', ''],
    ['https://a.example/', ' aB3 ', 'aB3'],
    ['https://a.example/', 'a-B3', 'a-B3'],
  ];
  for (const [callback, input, counts] of readings) {
    test(`of ${JSON.stringify(input)} for ${callback}, ${JSON.stringify(counts)} counts`, () => {
      assert.equal(normalizeVerifier(callback, input), counts);
    });
  }

  const hash = verifierHash('secret', '0731946');
  const input: [verifier: string, secret: string, stored: string | null, isRight: boolean][] = [
    ['0731946', 'secret', hash, true],
    [' 0731946', 'secret', hash, false],
    ['731946', 'secret', hash, false],
    ['0731947', 'secret', hash, false],
    ['0731946', 'other', hash, false],
    ['0731946', 'secret', null, false],
    ['', 'secret', null, false],
  ];
  for (const [verifier, secret, stored, isRight] of input) {
    test(`${JSON.stringify(verifier)} under ${secret} is ${isRight ? 'right' : 'wrong'} for ${stored?.slice(0, 6)}`, () => {
      assert.equal(matchesVerifier(verifier, secret, stored), isRight);
    });
  }
});
