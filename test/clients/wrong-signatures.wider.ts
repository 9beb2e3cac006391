// On either database: signatures know nothing of it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';
import { type ToldSigners, type WrongRequest, wrongByNpm } from './wrong-signers.ts';

/** How signers of a language are run: Debian's own interpreters alone see Debian's packages. */
const PROGRAMS = {
  Python: ['/usr/bin/python3', 'wrong_signers.py', 'python3-requests-oauthlib', 'python3-tweepy'],
  Ruby: ['/usr/bin/ruby', 'wrong_signers.rb', 'ruby-oauth'],
  Perl: ['/usr/bin/perl', 'wrong_signers.pl', 'libnet-oauth-perl'],
} as const;

/** Mistakes that make another one at the same time. */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  'other-signature-method': ['other-hash'],
  'secret-sent-as-consumer-key': ['key-instead-of-secret'],
  'secret-sent-as-token': ['key-instead-of-secret'],
  'bearer-instead-of-signature': ['access-token-sent-as-bearer'],
};

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' }, seams: { clock: systemClock } });
});
after(() => world.close());

const told = (): ToldSigners & { readonly other_origin: string } => ({
  keys: world.keys,
  // By name, whose letters can be in upper case; accounts can be created in the sandbox alone.
  origin: world.service.sandboxUrl.replace('127.0.0.1', 'localhost'),
  other_origin: world.service.url.replace('127.0.0.1', 'localhost'),
});

function run(language: keyof typeof PROGRAMS): WrongRequest[] {
  const [interpreter, script, ...packages] = PROGRAMS[language];
  needPackages(...packages);
  const input = JSON.stringify(told());
  const { stdout, stderr, status } = spawnSync(interpreter, [join(import.meta.dirname, script)], { input });
  assert.equal(status, 0, String(stderr));
  return JSON.parse(String(stdout));
}

function secrets(): string[] {
  return Object.entries(world.keys)
    .filter(([name]) => /secret|password|operator/.test(name))
    .map(([, value]) => value);
}

const counts = new Map<string, number>();

/** Sends a request; the hint, the trace and its page must name its mistake, and show no secret. */
async function check({ mistake, method, url, headers, body, isSentTwice }: WrongRequest): Promise<void> {
  const send = () => request(url, { method: method as 'GET', headers, body });
  if (isSentTwice) await (await send()).body.dump();
  const reply = await send();
  const replied = await reply.body.text();
  assert.equal(reply.statusCode, 401, replied);
  const id = reply.headers['x-barker-trace'];
  const traceOf = async (path: string) => (await request(`${world.service.url}${path}/${id}`)).body.text();
  const text = await traceOf('/_dev/auth/traces');
  const page = await traceOf('/_dev/debugger/traces');
  const trace = JSON.parse(text);
  const expected = [mistake, ...(TOGETHER[mistake] ?? [])];
  assert.deepEqual(
    trace.mistakes.map(({ name }: { name: string }) => name),
    expected,
    `${trace.summary} ${headers.authorization ?? headers.Authorization}`,
  );
  assert.equal(reply.headers['x-hint'], trace.summary);
  assert.ok(page.includes(mistake));
  for (const secret of secrets()) {
    for (const shown of [text, page, replied, JSON.stringify(reply.headers)]) assert.ok(!shown.includes(secret));
  }
}

describe('a wrong signature', () => {
  const languages: readonly (readonly [language: string, make: () => WrongRequest[]])[] = [
    ['npm', () => wrongByNpm(told())],
    ...(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]).map((language) => [language, () => run(language)] as const),
  ];
  for (const [language, make] of languages) {
    test(`made by ${language} has its mistake named`, async (t) => {
      const made = make();
      counts.set(language, made.length);
      for (const each of made) await t.test(each.mistake, () => check(each));
    });
  }

  test('was made in forty ways and more', () => {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(counts.size, 4);
    assert.ok(total >= 40, String(total));
  });
});
