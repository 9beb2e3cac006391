import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encode } from '../../src/base/percent.ts';
import { diagnose, MISTAKES } from '../../src/dev/signatures/diagnose.ts';
import {
  parametersOf,
  type RequestSecrets,
  rightSigning,
  type SentRequest,
} from '../../src/dev/signatures/sent-request.ts';
import { baseStringOf, type SentParameter, type Signing, signatureOf } from '../../src/dev/signatures/signing.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';

const SECRETS: RequestSecrets = {
  name: 'Demo',
  consumerKey: 'consumer-key-1',
  consumerSecret: 'consumer-secret-AAAA',
  token: '7-token',
  tokenSecret: 'token-secret-BBBB',
  others: [
    { owner: 'the consumer secret of the application Messages', kind: 'consumer', secret: 'consumer-secret-CCCC' },
    { owner: 'the secret of another access token', kind: 'token', secret: 'token-secret-DDDD' },
  ],
};

const OAUTH = {
  oauth_consumer_key: SECRETS.consumerKey,
  oauth_nonce: 'f3a1',
  oauth_signature_method: 'HMAC-SHA1',
  oauth_timestamp: '1767225600',
  oauth_token: SECRETS.token,
  oauth_version: '1.0',
};

type Changes = Partial<SentRequest> & { readonly oauth?: Readonly<Record<string, string>>; readonly realm?: string };

/** A request that shows as many mistakes as one request can. */
function request({ oauth = OAUTH, realm, ...changes }: Changes = {}, signature = 'c2lnbmF0dXJl'): SentRequest {
  const pieces = Object.entries({ ...oauth, oauth_signature: signature }).map(
    ([name, value]) => `${name}="${encode(value)}"`,
  );
  return {
    method: 'POST',
    target: '/12/accounts/18ce%2D5/campaigns?q=%21%20caf%C3%A9~*%2F:&with_deleted=&id=2&id=10',
    origins: ['http://ads.test:8080'],
    hostSpellings: [],
    otherOrigins: ['http://sandbox.ads.test:8081'],
    authorization: `OAuth ${realm === undefined ? '' : `realm="${realm}", `}${pieces.join(', ')}`,
    contentType: 'application/x-www-form-urlencoded',
    body: 'name=Spring+%28sale%29&B=1&a=2',
    ...changes,
  };
}

const JSON_BODY = { contentType: 'application/json', body: '{"name":"Spring","budget":{"amount":5}}' };

/** Requests of which one at least shows each mistake. */
const REQUESTS: readonly Changes[] = [
  {},
  JSON_BODY,
  { realm: 'ads' },
  { origins: ['http://ads.test'], otherOrigins: [] },
  { origins: ['https://ads.test'], otherOrigins: [], hostSpellings: ['Ads.Test'] },
  { oauth: { ...OAUTH, oauth_version: '' } },
];

function signingOf(sent: SentRequest): Signing {
  return rightSigning(sent, parametersOf(sent) as SentParameter[], SECRETS, sent.origins[0]!);
}

/** The same request with the signature of a way of signing. */
function signedBy(changes: Changes, signing: Signing): SentRequest {
  return request(changes, signatureOf(signing, baseStringOf(signing).text));
}

describe('the diagnosis of a signature', () => {
  test('is that it is right when the reference signer made it', () => {
    const sent = request();
    const { query, path } = { path: sent.target.split('?')[0]!, query: sent.target.split('?')[1]! };
    const form = [...new URLSearchParams(sent.body)] as [string, string][];
    const url = `http://ads.test:8080${path}?${query}`;
    const { consumerSecret, tokenSecret } = SECRETS;
    const signed = sign({ method: 'POST', url, form, oauth: OAUTH, consumerSecret, tokenSecret });
    const { outcome, expected } = diagnose({ ...sent, authorization: signed.header }, SECRETS);
    assert.equal(outcome, 'right');
    assert.deepEqual(expected, { parameterString: signed.parameterString, baseString: signed.baseString });
  });

  for (const mistake of MISTAKES) {
    test(`names ${mistake.name}`, () => {
      let made = 0;
      for (const changes of REQUESTS) {
        const sent = request(changes);
        const right = signingOf(sent);
        for (const change of mistake.apply(right, { sent, secrets: SECRETS })) {
          const signing = { ...right, ...change };
          const wrong = signedBy(changes, signing);
          if (signatureOf(signing, baseStringOf(signing).text) === rightSignature(changes)) continue;
          made += 1;
          const { outcome, mistakes, ...rest } = diagnose(wrong, SECRETS);
          assert.equal(outcome, 'mistakes', JSON.stringify(rest, undefined, 1));
          assert.deepEqual(
            mistakes.map(({ name }) => name),
            [mistake.name],
          );
        }
      }
      assert.ok(made > 0, 'no request shows it');
    });
  }

  test('names two mistakes made together', () => {
    const sent = request();
    const context = { sent, secrets: SECRETS };
    const [change] = MISTAKES.find(({ name }) => name === 'port-left-out')!.apply(signingOf(sent), context);
    const wrong = { ...signingOf(sent), ...change };
    const both = MISTAKES.find(({ name }) => name === 'plus-for-space')!.apply(wrong, context);
    for (const each of both) {
      const { mistakes } = diagnose(signedBy({}, { ...wrong, ...each }), SECRETS);
      assert.deepEqual(mistakes.map(({ name }) => name).sort(), ['plus-for-space', 'port-left-out']);
    }
  });

  test('shows where the base strings differ first', () => {
    const sent = request();
    const wrong = { ...signingOf(sent), origin: 'http://ads.test' };
    const { firstDifference, expected, signed } = diagnose(signedBy({}, wrong), SECRETS);
    assert.equal(firstDifference?.at, 'POST&http%3A%2F%2Fads.test%'.length);
    assert.ok(firstDifference.expected.startsWith('%3A8080%2F12'));
    assert.ok(firstDifference.signed.startsWith('%2F12%2Faccounts'));
    assert.ok(expected!.baseString.includes('%3A8080') && !signed!.baseString.includes('%3A8080'));
  });

  test('is unknown when nothing that was tried reproduces it', () => {
    assert.deepEqual(diagnose(request({}, 'bm90aGluZw=='), SECRETS, 2000).outcome, 'unknown');
  });

  test('names a signature that was encoded twice or not at all', () => {
    const right = rightSignature({});
    const names = (signature: string) => diagnose(request({}, signature), SECRETS).mistakes.map(({ name }) => name);
    assert.deepEqual(names(encode(right)), ['signature-encoded-twice']);
    assert.deepEqual(names(`${right}\n`), ['signature-with-space']);
    for (let nonce = 0; ; nonce++) {
      const oauth = { ...OAUTH, oauth_nonce: String(nonce) };
      const signature = rightSignature({ oauth });
      if (!signature.includes('+')) continue;
      const { mistakes } = diagnose(request({ oauth }, signature.replaceAll('+', ' ')), SECRETS);
      assert.deepEqual(
        mistakes.map(({ name }) => name),
        ['signature-not-encoded'],
      );
      break;
    }
  });

  test('never repeats a secret that was sent as a key', () => {
    const oauth = { ...OAUTH, oauth_consumer_key: SECRETS.consumerSecret, oauth_token: SECRETS.others[1]!.secret };
    const text = JSON.stringify(diagnose(request({ oauth }), SECRETS, 500));
    for (const secret of [
      SECRETS.consumerSecret,
      SECRETS.tokenSecret,
      ...SECRETS.others.map((other) => other.secret),
    ]) {
      assert.ok(!text.includes(secret), text);
    }
    assert.ok(text.includes('[secret]'));
  });

  test('says why a request cannot be read', () => {
    const { outcome, detail } = diagnose(request({ authorization: 'OAuth oauth_nonce' }), SECRETS);
    assert.deepEqual(
      [outcome, detail],
      ['unreadable', 'the Authorization header holds something that is not name="value"'],
    );
    assert.equal(diagnose(request({ authorization: 'Basic eA==' }), SECRETS).outcome, 'unreadable');
  });
});

function rightSignature(changes: Changes): string {
  const signing = signingOf(request(changes));
  return signatureOf(signing, baseStringOf(signing).text);
}
