import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { faultOfHeader } from '../../src/dev/faults/header.ts';
import { delayOf, draw, type Facts, FaultRules } from '../../src/dev/faults/rules.ts';
import { matchesGlob } from '../../src/dev/requests/matching.ts';
import { Redactor } from '../../src/dev/requests/redact.ts';

const RULE = { seed: 7, id: '1' };
const drawn = (rule: typeof RULE, count: number): number[] =>
  Array.from({ length: count }, (_, at) => draw(rule, at + 1, 'hit'));

describe('what is random in faults', () => {
  test('depends on seed, rule and number alone, and is spread evenly', () => {
    const numbers = drawn(RULE, 1000);
    assert.deepEqual(drawn(RULE, 1000), numbers);
    assert.notDeepEqual(drawn({ ...RULE, seed: 8 }, 3), numbers.slice(0, 3));
    assert.notDeepEqual(drawn({ ...RULE, id: '2' }, 3), numbers.slice(0, 3));
    assert.ok(numbers.every((each) => each >= 0 && each < 1));
    const low = numbers.filter((each) => each < 0.5).length;
    assert.ok(low > 440 && low < 560, `${low} of 1000 are below a half`);
  });

  test('delays have the shape that was asked for', () => {
    const delays = (delay: Parameters<typeof delayOf>[2]): number[] =>
      Array.from({ length: 1001 }, (_, at) => delayOf(RULE, at, delay)).sort((a, b) => a - b);
    assert.equal(delayOf(RULE, 1, { ms: 5 }), 5);
    const uniform = delays({ uniform: [10, 20] });
    assert.ok(uniform[0]! >= 10 && uniform[0]! < 11 && uniform.at(-1)! > 19 && uniform.at(-1)! < 20);
    const lognormal = delays({ lognormal: { median_ms: 100, sigma: 0.5 } });
    assert.ok(Math.abs(lognormal[500]! - 100) < 10, `the median is ${lognormal[500]}`);
    // One standard deviation above.
    assert.ok(Math.abs(lognormal[841]! - 100 * Math.exp(0.5)) < 20, `${lognormal[841]}`);
  });
});

describe('a rule', () => {
  const facts: Facts = { target: 'call', method: 'GET', path: '/12/accounts', valuesOf: () => [] };

  test('ends after its time, also while nobody looks', () => {
    let now_ms = 1000;
    const rules = new FaultRules({ ...systemClock, now: () => now_ms });
    const rule = { ...faultOfHeader('reset'), id: 'short', for_s: 2 };
    rules.add(rule);
    assert.equal(rules.touch(facts).length, 1);
    now_ms = 2999;
    assert.deepEqual(
      rules.list().map(({ hits, last_hit }) => [hits, last_hit]),
      [[1, '1970-01-01T00:00:01.000Z']],
    );
    now_ms = 3000;
    assert.deepEqual(rules.touch(facts), []);
    assert.throws(() => rules.find('short'), /there is no fault short, or no longer/);
  });
});

describe('the header of a fault', () => {
  for (const [header, when, actions] of [
    ['reset', 'before', { reset: true }],
    [
      'status=503; code=LOST;retry_after=2 ; delay=1.5s; when=after',
      'after',
      {
        delay: { ms: 1500 },
        reply: { status: 503, code: 'LOST', message: undefined, headers: {}, retry_after_s: 2 },
      },
    ],
    ['truncate=0.25', 'before', { truncate: { fraction: 0.25 } }],
    ['dribble=4/2s', 'before', { dribble: { chunks: 4, over_ms: 2000 } }],
    ['stall=3; no_heartbeat', 'before', { stall: { after_events: 3 }, no_heartbeat: true }],
  ] as const) {
    test(header, () => {
      const rule = faultOfHeader(header);
      assert.equal(rule.when, when);
      assert.deepEqual(JSON.parse(JSON.stringify(rule.do)), JSON.parse(JSON.stringify(actions)));
    });
  }

  for (const [header, message] of [
    ['', /do names at least one/],
    ['when=never', /when is before or after/],
    ['delay=soon', /delay is a time such as 200ms/],
    ['status=99', /status must be a whole number from 200 to 599/],
    ['explode=1', /"explode=1" is none of when, status/],
    ['dribble=x', /dribble is a time/],
  ] as const) {
    test(`${header || 'an empty one'} is refused`, () => assert.throws(() => faultOfHeader(header), message));
  }
});

describe('a path with stars', () => {
  for (const [text, glob, fits] of [
    ['/12/accounts/abc/campaigns', '/12/accounts/*/campaigns', true],
    ['/12/accounts/abc/def/campaigns', '/12/accounts/*/campaigns', false],
    ['/12/accounts/abc/campaigns', '/12/**', true],
    ['campaigns.create', 'campaigns.*', true],
    ['campaignsXcreate', 'campaigns.create', false],
    ['(a+b)[c]', '(a+b)[c]', true],
  ] as const) {
    test(`${text} ${fits ? 'fits' : 'does not fit'} ${glob}`, () => assert.equal(matchesGlob(text, glob), fits));
  }
});

describe('what is not shown of a request', () => {
  const redactor = new Redactor(['a-known-secret']);
  const body = (text: string, type: string) => redactor.body(Buffer.from(text), type);
  const FORM = 'application/x-www-form-urlencoded';

  test('headers', () => {
    const shown = redactor.headers([
      ...['Authorization', 'OAuth oauth_token="7-x", oauth_signature="abc%3D"', 'authorization', 'Bearer AAAA'],
      ...['authorization', 'a-secret-alone', 'Cookie', 'a=b', 'X-Name', 'has a-known-secret within'],
    ]);
    assert.deepEqual(
      shown.map(({ value }) => value),
      [
        'OAuth oauth_token="7-x", oauth_signature="[redacted]"',
        'Bearer [redacted]',
        '[redacted]',
        '[redacted]',
        'has [redacted] within',
      ],
    );
  });

  test('parameters whose names mean secrets, also encoded ones', () => {
    assert.equal(redactor.target('/a?x=1&client%5Fsecret=2&password'), '/a?x=1&client%5Fsecret=[redacted]&password');
    assert.equal(body('oauth_token=1&oauth_token_secret=2', 'text/html'), undefined);
    assert.equal(body('oauth_token=1&oauth_token_secret=2', FORM), 'oauth_token=1&oauth_token_secret=[redacted]');
    const json = '{"a":{"secret":"x\\"y","name":"z"},"access_token":"A","code":"KEPT"}';
    assert.deepEqual(JSON.parse(body(json, 'application/json')!), {
      a: { secret: '[redacted]', name: 'z' },
      access_token: '[redacted]',
      code: 'KEPT',
    });
  });

  test('a secret at the end of a body that was cut', () => {
    assert.equal(body('{"password":"half of i', 'application/json'), '{"password":"[redacted]"');
  });

  test('what is no text', () => {
    assert.equal(redactor.body(Buffer.from([0xff, 0xfe, 0x00]), 'text/plain'), undefined);
    assert.equal(body('--x\r\n', 'multipart/form-data; boundary=x'), undefined);
  });
});
