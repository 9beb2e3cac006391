import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { barker, signedParts } from '../commands/program.ts';

interface Vector {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly oauth: Readonly<Record<string, string>>;
  readonly place?: string;
  readonly consumer_secret: string;
  readonly token_secret: string;
  readonly base_string?: string;
  readonly signature: string;
  readonly form_body?: string;
}

const read = (name: string): Vector[] => JSON.parse(readFileSync(`test/vectors/${name}.json`, 'utf8'));
const vectors = [...read('oauth1-own'), ...read('oauth1-published')].filter(
  ({ place, url, form_body: form, method }) =>
    place !== 'query' && /^https?:/.test(url) && (!form || method === 'POST' || method === 'PUT') && !isSentTwice(form),
);

/** A protocol parameter in the form too. */
function isSentTwice(form: string | undefined): boolean {
  return form?.includes('oauth_token=') ?? false;
}

/** The options of a vector: every protocol parameter as it was, and nothing of our own. */
function optionsOf({ oauth, consumer_secret, token_secret, form_body }: Vector): string[] {
  const { oauth_consumer_key, oauth_token, ...others } = oauth;
  const protocol = { oauth_version: '', ...others };
  return [
    ...['--consumer-key', oauth_consumer_key!, '--consumer-secret', consumer_secret],
    ...(oauth_token === undefined ? [] : ['--token', oauth_token]),
    ...['--token-secret', token_secret],
    ...Object.entries(protocol).flatMap(([name, value]) => ['-p', `${name}=${value}`]),
    ...[...new URLSearchParams(form_body ?? '')].flatMap(([name, value]) => ['-d', `${name}=${value}`]),
  ];
}

describe('sign', () => {
  for (const vector of vectors) {
    test(`gives the signature of ${vector.id}`, async () => {
      const outcome = await barker(['sign', vector.method, vector.url, ...optionsOf(vector)], { cwd: '/' });
      assert.equal(outcome.stderr, '');
      const parts = signedParts(outcome.stdout);
      if (vector.base_string) assert.equal(parts['Base string'], vector.base_string);
      assert.equal(parts.Signature, vector.signature);
      assert.equal(decodeURIComponent(parts['Base string']!.split('&')[2]!), parts['Parameter string']);
      const header = parts['Authorization header']!;
      assert.ok(header.startsWith('OAuth '));
      assert.ok(header.includes(`oauth_signature="${encodeURIComponent(vector.signature)}"`));
      assert.ok(!outcome.stdout.includes(vector.consumer_secret));
    });
  }

  test('there are vectors', () => assert.ok(vectors.length >= 15, String(vectors.length)));

  test('refuses protocol parameters among those of the call', async () => {
    const { code, stderr } = await barker([
      'sign',
      'GET',
      'http://a.test/',
      '-p',
      'a=1',
      '--consumer-key',
      'k',
      '--consumer-secret',
      's',
    ]);
    assert.equal(stderr, 'barker: a is not an OAuth parameter; give request parameters with -d\n');
    assert.equal(code, 2);
  });
});
