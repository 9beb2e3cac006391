import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSchemes } from '../../src/base/callback-schemes.ts';
import {
  callbackUrlError,
  nearestCallback,
  refuseCallback,
  registrationError,
} from '../../src/features/auth/callback-urls.ts';

const rules = (callbacks: string[], more: { native?: 0 | 1; extra_query?: 0 | 1 } = {}) =>
  ({ callbacks: JSON.stringify(callbacks), native: 0, extra_query: 0, ...more }) as const;

describe('a callback', () => {
  const input: [registered: string, asked: string, isApproved: boolean][] = [
    ['https://a.example/cb', 'https://a.example/cb', true],
    ['https://a.example/cb', 'https://a.example/cb/', false],
    ['https://a.example/cb/', 'https://a.example/cb', false],
    ['https://a.example/cb', 'https://a.example/CB', false],
    ['https://a.example/cb', 'http://a.example/cb', false],
    ['https://a.example/cb', 'https://a.example:8443/cb', false],
    ['https://a.example/cb', 'https://a.example:443/cb', false],
    ['https://a.example/cb', 'https://a.example.evil.example/cb', false],
    ['https://a.example/cb', 'https://a.example/cb?x=1', false],
    ['https://a.example/cb?x=1', 'https://a.example/cb?x=1', true],
    ['https://a.example/cb', 'https://user@a.example/cb', false],
    ['https://a.example/cb', 'https://a.example/cb#x', false],
    ['https://a.example/cb', 'https://a.example\\cb', false],
    ['https://a.example/cb', 'HTTPS://a.example/cb', true],
    ['http://a.example/cb', 'http://a.example/cb', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51234/cb', true],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1/cb', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51234/cc', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.10:51234/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1@evil.example/cb', false],
    ['http://[::1]/cb', 'http://[::1]:8080/cb', true],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:1/cb', false],
    ['http://localhost/cb', 'http://localhost:3000/cb', false],
    ['http://localhost:3000/cb', 'http://localhost:3000/cb', true],
    ['myapp://done', 'myapp://done', true],
    ['myapp://done', 'MyApp://done', true],
    ['myapp://done', 'myapp://Done', false],
    ['com.example.app:/cb', 'com.example.app:/cb', true],
    ['javascript:alert(1)', 'javascript:alert(1)', false],
    ['JavaScript:alert(1)', 'JavaScript:alert(1)', false],
    ['data:text/html,x', 'data:text/html,x', false],
    ['intent://x', 'intent://x', false],
    ['/cb', '/cb', false],
    ['https://a.example/cb', '', false],
    ['https://a.example/cb', 'oob', true],
    ['https://a.example/cb', 'OOB', false],
  ];
  for (const [registered, asked, isApproved] of input) {
    test(`${asked} is ${isApproved ? '' : 'not '}approved where ${registered} is registered`, () => {
      assert.equal(refuseCallback(rules([registered]), asked), isApproved ? undefined : 'not approved');
    });
  }

  test('may have any query where the application allows it, on a URL registered without one', () => {
    const own = rules(['https://a.example/cb', 'https://b.example/cb?x=1'], { extra_query: 1 });
    assert.equal(refuseCallback(own, 'https://a.example/cb?next=%2F&x'), undefined);
    assert.equal(refuseCallback(own, 'https://a.example/cbx?y=1'), 'not approved');
    assert.equal(refuseCallback(own, 'https://b.example/cb?x=1&y=2'), 'not approved');
    const loopback = rules(['http://127.0.0.1/cb'], { extra_query: 1 });
    assert.equal(refuseCallback(loopback, 'http://127.0.0.1:9/cb?a=1'), undefined);
  });

  test('of a native application is oob and nothing else', () => {
    const own = rules(['https://a.example/cb'], { native: 1 });
    assert.equal(refuseCallback(own, 'https://a.example/cb'), 'not oob');
    assert.equal(refuseCallback(own, 'oob'), undefined);
  });

  test('is an absolute URL of at most 2048 visible characters', () => {
    assert.equal(callbackUrlError(`https://a.example/${'x'.repeat(2030)}`), undefined);
    assert.match(callbackUrlError(`https://a.example/${'x'.repeat(2031)}`)!, /2048/);
    for (const address of [
      'https://a.example/ b',
      'https://a.example/\u0007',
      'https:/a.example',
      'https://',
      'https://ä.example/',
    ]) {
      assert.notEqual(callbackUrlError(address), undefined, address);
    }
  });

  test('that is not registered is compared with the nearest registered one', () => {
    const own = rules(['https://b.example/', 'https://a.example/cb', 'myapp://done']);
    assert.equal(nearestCallback(own, 'https://a.example/cb/'), 'https://a.example/cb');
    assert.equal(nearestCallback(own, 'myapp://don'), 'myapp://done');
    assert.equal(nearestCallback(rules([]), 'myapp://don'), undefined);
  });
});

describe('a new callback', () => {
  const input: [callback: string, schemes: string[], fault: RegExp | undefined][] = [
    ['https://a.example/cb', [], undefined],
    ['http://a.example/cb', [], undefined],
    ['com.example.app:/cb', [], undefined],
    ['com.Example.app://cb', [], undefined],
    ['myapp://done', [], /^has the scheme myapp; a custom scheme needs a dot, such as com\.example\.app, unless /],
    ['MyApp://done', [], /^has the scheme myapp;/],
    ['myapp.://done', [], /^has the scheme myapp\.;/],
    ['my..app://done', [], /^has the scheme my\.\.app;/],
    ['myapp://done', ['other', 'myapp'], undefined],
    ['myapp://done', ['other'], /^has the scheme myapp;/],
    ['myapp://done', ['*'], undefined],
    ['intent://x', ['*'], /^has the scheme intent, which is refused$/],
    ['javascript:alert(1)', ['javascript'], /^has the scheme javascript, which is refused$/],
    ['com.example.app:/cb#x', [], /^contains a fragment/],
  ];
  for (const [callback, schemes, fault] of input) {
    test(`${callback} is ${fault ? 'refused' : 'registered'} where ${schemes.join(' and ') || 'no scheme'} is allowed`, () => {
      const found = registrationError(callback, schemes);
      if (fault) assert.match(found ?? '', fault);
      else assert.equal(found, undefined);
    });
  }

  test('never has a scheme that browsers run, whatever an operator configures', () => {
    assert.deepEqual(parseSchemes(['MyApp', '*']), ['myapp', '*']);
    for (const scheme of ['javascript', 'Data', 'my app', 'myapp://', '']) {
      assert.equal(parseSchemes(['myapp', scheme]), undefined, scheme);
    }
  });
});
