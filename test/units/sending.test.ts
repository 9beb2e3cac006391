import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import {
  newWebhookSecret,
  signatureOf,
  standardHeaders,
  webhookKey,
} from '../../src/features/activity/webhooks/signing.ts';
import { allowedAddresses, urlError } from '../../src/http/sending/address-rules.ts';

const BARRED = [
  '0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.8.8.8 169.254.169.254 172.16.0.1',
  '172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9',
  '224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255',
  ':: ::1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:1ff::1 2001:db8::1',
  '2002:808:808::1 3fff::1 fc00::1 fd12::1 fe80::1 fe80::1%1 fec0::1 ff02::1 4000::1 not-an-address',
].flatMap((line) => line.split(' '));
const OPEN = [
  '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.1.1.1 128.0.0.1 169.253.1.1 172.15.0.1',
  '172.32.0.1 192.0.1.1 192.167.1.1 198.17.0.1 198.20.0.1 203.0.112.1 223.255.255.255 2001:200::1 2606:4700::1111',
  '2a00:1450::1 3ffe::1',
].flatMap((line) => line.split(' '));

describe('addresses', () => {
  const production = allowedAddresses({ allowsPrivate: false, privateRanges: [] });
  test('that are not public are blocked', () => {
    assert.deepEqual(BARRED.filter(production), []);
  });
  test('that are public are allowed', () => {
    assert.deepEqual(
      OPEN.filter((address) => !production(address)),
      [],
    );
  });
  test('in ranges that an operator allows are allowed, except link-local ones', () => {
    const opened = allowedAddresses({
      allowsPrivate: false,
      privateRanges: ['10.1.0.0/16', '169.254.0.0/16', 'fd00::/8'],
    });
    const found = ['10.1.2.3', '10.2.0.1', '169.254.169.254', 'fd12::1', 'fc00::1', '8.8.8.8', '::ffff:10.1.2.3'];
    assert.deepEqual(found.filter(opened), ['10.1.2.3', 'fd12::1', '8.8.8.8', '::ffff:10.1.2.3']);
  });
  test('of this machine are allowed in development, link-local ones never', () => {
    const development = allowedAddresses({ allowsPrivate: true, privateRanges: [] });
    const found = [
      '127.0.0.1',
      '::1',
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      'fe80::1',
      '::ffff:169.254.169.254',
    ];
    assert.deepEqual(found.filter(development), ['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1']);
  });
});

describe('addresses in every notation', () => {
  const ownOrigins = (): string[] => ['https://ads.example', 'https://ports.example:8443', 'http://127.0.0.1:8080', ''];
  const strict = (url: string): string | undefined => urlError(url, { allowsPrivate: false, ownOrigins })?.message;
  const lenient = (url: string): string | undefined => urlError(url, { allowsPrivate: true, ownOrigins })?.message;

  test('may be any https URL with a host name', () => {
    for (const url of [
      'https://hooks.example.test/in',
      'https://hooks.example.test',
      'HTTPS://Hooks.Example/?a=b&c',
      `https://a.example/${'x'.repeat(182)}`,
      'https://käse.example/',
    ]) {
      assert.equal(strict(url), undefined, url);
    }
  });

  const cases: readonly (readonly [url: string, says: string])[] = [
    ['', 'the url must have 1 to 200 characters'],
    [`https://a.example/${'x'.repeat(183)}`, 'the url must have 1 to 200 characters'],
    ['hooks.example', 'the url cannot be read'],
    ['https:/hooks.example', 'the url cannot be read'],
    ['https:\\\\hooks.example', 'the url cannot be read'],
    ['https://hooks.example\\@10.0.0.1/', 'the url cannot be read'],
    ['https://hooks.example/a b', 'the url cannot be read'],
    ['https://hooks.exa\tmple/', 'the url cannot be read'],
    ['https://', 'the url cannot be read'],
    ['http://hooks.example/', 'the url must begin with https://'],
    ['ftp://hooks.example/', 'the url must begin with https://'],
    ['file:///etc/passwd', 'the url must begin with https://'],
    ['https://user@hooks.example/', 'the url must have no user'],
    ['https://user:pass@hooks.example/', 'the url must have no user'],
    ['https://hooks.example/#a', 'the url must have no fragment'],
    ['https://hooks.example/#', 'the url must have no fragment'],
    ['https://hooks.example:443/', 'the url must have no port'],
    ['https://hooks.example:8443/', 'the url must have no port'],
    ['https://hooks.example:/', 'the url must have no port'],
    ['https://127.0.0.1/', 'the host of the url must be a name'],
    ['https://2130706433/', 'the host of the url must be a name'],
    ['https://0x7f.1/', 'the host of the url must be a name'],
    ['https://8.8.8.8/', 'the host of the url must be a name'],
    ['https://[::1]/', 'the host of the url must be a name'],
    ['https://ads.example/in', 'the url must not lead to this service'],
    ['https://ADS.example./in', 'the url must not lead to this service'],
    ['https://ports.example/in', 'the url must not lead to this service'],
  ];
  for (const [url, says] of cases) {
    test(`${url.slice(0, 40) || 'nothing'} is refused`, () => assert.equal(strict(url), says));
  }

  test('may be on this machine in development, but not this service', () => {
    for (const url of [
      'http://127.0.0.1:9999/in',
      'http://localhost:3000',
      'https://[::1]:8443/x',
      'http://10.0.0.1/',
    ]) {
      assert.equal(lenient(url), undefined, url);
    }
    assert.equal(lenient('http://127.0.0.1:8080/in'), 'the url must not lead to this service');
    assert.equal(lenient('http://me@127.0.0.1:9999/in'), 'the url must have no user');
    assert.equal(lenient('ftp://127.0.0.1/'), 'the url must begin with https://');
  });
});

describe('signatures', () => {
  const vectors: readonly (readonly [text: string, signature: string])[] = [
    ['crc-token-example-1', 'sha256=0wHZYMxVRBU9A/hwt7lJq+lFl00fQ/9qDtttXlAPloc='],
    ['crc_token=crc-token-example-1&nonce=bm9uY2UtMQ', 'sha256=eMLDErfp5uk63xWFDOE18pD/2mFL62bD4dMUYocCRDM='],
    [
      '{"data":{"event_uuid":"7301234567890123456","filter":{"user_id":"900000001"},"event_type":"profile.update.bio","tag":"bio-watch","payload":{"before":"Old bio","after":"New bio"}}}',
      'sha256=MZqDTLqqENkcV2+dDV+C12BgKw0h14lH/2wVc0xoAC0=',
    ],
    [
      '{"replay_job_status":{"webhook_id":"1234567890","job_state":"Complete","job_state_description":"Job completed successfully","job_id":"1111111111111111111"}}',
      'sha256=5tSrG1uYl3LKigryrYrbzIOfS984VdyrYFJVtSqhM3k=',
    ],
  ];
  test('with the consumer secret match the published values', () => {
    for (const [text, signature] of vectors) assert.equal(signatureOf('consumer-secret-example', text), signature);
  });

  test('of the second set match the published value, one for each key', () => {
    const key = webhookKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const stamp = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp_s: 1_614_265_330 };
    const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    assert.deepEqual(standardHeaders([key], stamp, '{"test": 2432232314}'), {
      'webhook-id': stamp.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
    const both = standardHeaders([key, Buffer.alloc(32)], stamp, Buffer.from('{"test": 2432232314}'));
    assert.match(both['webhook-signature'], /^v1,\S+ v1,\S+$/);
    assert.ok(both['webhook-signature'].startsWith(`${signature} `));
  });

  test('have secrets of 32 bytes', () => {
    const secret = newWebhookSecret(secureRandom);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(webhookKey(secret).length, 32);
  });
});
