import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CurlRequest, describedRequest, parseCurl } from '../../src/dev/signatures/described-request.ts';

const FORM = 'application/x-www-form-urlencoded';

/** A request as a plain object; members that are not given are those of a bare GET. */
const plain = ({ method, url, headers, body }: CurlRequest) => ({
  method,
  url,
  headers: { ...Object.fromEntries(headers) },
  body,
});
const get = { method: 'GET', url: 'http://a.test/1', headers: {}, body: undefined };
const post = { ...get, method: 'POST', headers: { 'content-type': FORM } };

const COMMANDS: readonly (readonly [command: string, request: ReturnType<typeof plain>])[] = [
  ['curl http://a.test/1', get],
  ['  curl   http://a.test/1  ', get],
  ["curl 'http://a.test/1'", get],
  ['curl "http://a.test/1"', get],
  ['curl http://a."test"/\'1\'', get],
  ['curl \\\n  http://a.test/1', get],
  ["curl $'http://a.test/\\u0031'", get],
  ["curl $'http://a.test/\\x31'", get],
  ['curl -s -S --silent --globoff http://a.test/1', get],
  ['curl -sSi http://a.test/1', get],
  ['curl --url http://a.test/1', get],
  ['curl --url=http://a.test/1', get],
  ['curl -o file --max-time 5 http://a.test/1', get],
  ['curl -X PUT http://a.test/1', { ...get, method: 'PUT' }],
  ['curl -XPUT http://a.test/1', { ...get, method: 'PUT' }],
  ['curl -sXPUT http://a.test/1', { ...get, method: 'PUT' }],
  ['curl -sX PUT http://a.test/1', { ...get, method: 'PUT' }],
  ['curl --request DELETE http://a.test/1', { ...get, method: 'DELETE' }],
  ['curl -I http://a.test/1', { ...get, method: 'HEAD' }],
  ['curl -H \'Authorization: OAuth a="b"\' http://a.test/1', { ...get, headers: { authorization: 'OAuth a="b"' } }],
  ['curl -HX-A:b http://a.test/1', { ...get, headers: { 'x-a': 'b' } }],
  ["curl -d 'a=1' http://a.test/1", { ...post, body: 'a=1' }],
  ['curl -da=1 -d b=2 http://a.test/1', { ...post, body: 'a=1&b=2' }],
  ['curl --data-raw @a http://a.test/1', { ...post, body: '@a' }],
  ["curl --data-urlencode 'a=b c&d' http://a.test/1", { ...post, body: 'a=b%20c%26d' }],
  ["curl --data-urlencode '=b c' http://a.test/1", { ...post, body: 'b%20c' }],
  ["curl --data-urlencode 'b c' http://a.test/1", { ...post, body: 'b%20c' }],
  ['curl -X PUT -d a=1 http://a.test/1', { ...post, method: 'PUT', body: 'a=1' }],
  ['curl -G -d a=1 http://a.test/1', { ...get, url: 'http://a.test/1?a=1' }],
  ["curl -G -d a=1 'http://a.test/1?b=2'", { ...get, url: 'http://a.test/1?b=2&a=1' }],
  ["curl --json '{}' http://a.test/1", { ...post, headers: { 'content-type': 'application/json' }, body: '{}' }],
  [
    "curl -H 'Content-Type: application/json' -d '{\"a\": \"it'\\''s\"}' http://a.test/1",
    { ...post, headers: { 'content-type': 'application/json' }, body: '{"a": "it\'s"}' },
  ],
  ['curl -d "a=\\"b\\"" http://a.test/1', { ...post, body: 'a="b"' }],
  ['curl -F media=@x http://a.test/1', { ...post, headers: { 'content-type': 'multipart/form-data' } }],
  ['curl -u key:secret http://a.test/1', { ...get, headers: { authorization: 'Basic a2V5OnNlY3JldA==' } }],
  ['curl --oauth2-bearer AAA http://a.test/1', { ...get, headers: { authorization: 'Bearer AAA' } }],
];

const UNREADABLE: readonly (readonly [command: string, message: string])[] = [
  ['', 'the command does not begin with curl'],
  ['wget http://a.test/1', 'the command does not begin with curl'],
  ['curl', 'there is no URL'],
  ['curl -s', 'there is no URL'],
  ['curl http://a.test/1 -H', '-H has no value'],
  ['curl http://a.test/1 http://a.test/2', 'there are two URLs: http://a.test/1 and http://a.test/2'],
  ['curl --upload-file x http://a.test/1', '--upload-file is not understood; leave it out'],
  ['curl -d @body.json http://a.test/1', 'put the content of body.json in place of @body.json'],
  ["curl 'http://a.test/1", "a quote is not closed: 'http://a.test/1"],
];

describe('a curl command', () => {
  for (const [command, request] of COMMANDS) {
    test(`is read as a shell and curl would: ${JSON.stringify(command)}`, () => {
      assert.deepEqual(plain(parseCurl(command)), request);
    });
  }

  for (const [command, message] of UNREADABLE) {
    test(`that cannot be read is refused: ${JSON.stringify(command)}`, () => {
      assert.throws(() => parseCurl(command), { name: 'InputError', message });
    });
  }
});

describe('a described request', () => {
  const described = (url: string) => {
    const { target, origins, hostSpellings } = describedRequest({ ...get, url, headers: new Map() }, []);
    return [origins[0], target, hostSpellings[0]];
  };
  for (const [url, ...expected] of [
    ['http://a.test/1?b=%2f#c', 'http://a.test', '/1?b=%2f', undefined],
    ['HTTP://A.Test:80/1', 'http://a.test', '/1', 'A.Test'],
    ['https://a.test:443', 'https://a.test', '/', undefined],
    ['https://a.test:8443?b', 'https://a.test:8443', '/?b', undefined],
    ['a.test:8080/1', 'http://a.test:8080', '/1', undefined],
  ] as const) {
    test(`has the origin and the target of ${url}`, () => assert.deepEqual(described(url), expected));
  }

  test('has the user of its URL', () => {
    const sent = describedRequest({ ...get, url: 'http://key:s%20t@a.test/1', headers: new Map() }, []);
    assert.deepEqual([sent.authorization, sent.origins], ['Basic a2V5OnMgdA==', ['http://a.test']]);
  });

  for (const url of ['http://', 'ftp://a.test/', 'http://a b/']) {
    test(`is refused with the URL ${url}`, () => {
      const message = `${url} is not a URL with http or https`;
      assert.throws(() => described(url), { name: 'InputError', message });
    });
  }
});
