// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../rig/client.ts';
import { sampler } from '../rig/sampling.ts';
import { type Wire, type WireReply, wireTo } from '../rig/wire.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let raw: Wire;
let home: { path: string; account: string; instrument: string };
let campaign: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  raw = wireTo(world.service.sandboxUrl);
  home = await openAccount(world.sandbox);
  const params = { name: 'one', funding_instrument_id: home.instrument, entity_status: 'PAUSED' };
  campaign = (await world.sandbox.call('POST', `${home.path}/campaigns`, { params })).body.data.id;
});
after(async () => {
  raw.close();
  await world.close();
});

/** A signed request in pieces: which piece a byte belongs to says what becomes of it when it changes. */
type Piece = 'plain' | 'method' | 'path' | 'query' | 'header name' | 'host' | 'type' | 'authorization' | 'body';
type Pieces = readonly (readonly [piece: Piece, text: string])[];

interface Shape {
  readonly what: string;
  make(): Pieces;
}

const SHAPES: readonly Shape[] = [
  { what: 'a read with a query', make: () => read(`${home.path}/campaigns`, 'q=a%C3%A9+b%2Cc&count=5&z=&z2') },
  {
    what: 'a write with a form',
    make: () => write('PUT', `${home.path}/campaigns/${campaign}`, 'name=%C3%A9+%26%2a+b&standard_delivery=true'),
  },
  { what: 'a write of JSON whose hash is signed', make: () => batch(JSON.stringify(items()), 'with its hash') },
];

/** The shape of a change is its piece, the kind of the character, and the bits that are flipped. */
const isTried = sampler();

for (const { what, make } of SHAPES) {
  describe(`${what}: of all requests that differ in one byte`, () => {
    test('each is refused, except other spellings of the same request', async () => {
      const request = make();
      const seen = new Map<string, number>();
      for (const changed of changesOf(request)) {
        if (isSameRequest(request, changed) || !isChosen(what, request, changed)) continue;
        // A JSON body is read when its head has been accepted and the nonce is used: each needs one of its own.
        const sent = isJson(request, changed) ? make() : request;
        assertRefused(sent, changed, await raw.send(bytesOf(sent, changed)));
        seen.set(changed.piece, (seen.get(changed.piece) ?? 0) + 1);
      }
      for (const [piece, text] of request) if (piece !== 'plain') assert.ok(seen.has(piece), `${piece} of ${text}`);
      assert.equal((await raw.send(bytesOf(request))).status, 200, 'the forged ones have not used up its nonce');
      assert.equal((await raw.send(bytesOf(request))).status, 401, 'a second time it is refused');
    });

    test('other spellings of the same request are accepted', async () => {
      const first = make();
      const spellings = [...changesOf(first)].filter(
        (each) => isSameRequest(first, each) && isChosen(`another spelling of ${what}`, first, each),
      );
      for (const { at, offset, byte } of spellings) {
        // The signature, and with it every offset behind it, is another for each nonce.
        const request = make();
        const text = request[at]![1];
        const changed = { piece: request[at]![0], at, offset, byte };
        if (offset >= text.length || !isSameRequest(request, changed)) continue;
        const reply = await raw.send(bytesOf(request, changed));
        assert.equal(reply.status, 200, `${JSON.stringify(changed)} in ${text}: ${reply.text}`);
        assert.equal((await raw.send(bytesOf(request))).status, 401, 'both spellings have one nonce');
      }
    });
  });
}

describe('a JSON body without a signed hash', () => {
  test('is not covered by the signature', async () => {
    const request = batch(JSON.stringify(items('one')), 'without its hash');
    const body = JSON.stringify(items('two'));
    const reply = await raw.send(bytesOf([...request.slice(0, -1), ['body', body]]));
    assert.equal(reply.status, 200);
    assert.equal(JSON.parse(reply.text).data[0].name, 'two');
  });
});

describe('a nonce is accepted once', () => {
  test('on both listeners together', async () => {
    const bytes = bytesOf(read('/12/accounts', ''));
    assert.equal((await raw.send(bytes)).status, 200);
    const other = wireTo(world.service.url);
    assert.equal((await other.send(bytes)).status, 401);
    other.close();
  });

  test('per token and timestamp, whatever else it signs', async () => {
    const oauth: Record<string, string> = { ...protocol(world.keys, world.clock), oauth_nonce: 'taken' };
    const others = { oauth_token: world.keys.other_access_token!, secret: world.keys.other_access_token_secret! };
    const send = async (input: Record<string, string>, query: string, secret = world.keys.access_token_secret) =>
      (await raw.send(bytesOf(read('/12/accounts', query, input, secret)))).status;
    assert.equal(await send(oauth, ''), 200);
    assert.equal(await send(oauth, 'count=7'), 401, 'the same nonce for another request');
    assert.equal(await send({ ...oauth, oauth_timestamp: String(Number(oauth.oauth_timestamp) + 1) }, ''), 200);
    assert.equal(await send({ ...oauth, oauth_token: others.oauth_token }, '', others.secret), 200);
    assert.equal(await send({ ...oauth, oauth_token: others.oauth_token }, '', others.secret), 401);
  });
});

/** One byte in place of another. */
interface Changed {
  readonly piece: Piece;
  readonly at: number;
  readonly offset: number;
  readonly byte: number;
}

/** Every byte of every signed piece, replaced by its neighbour, by its other case, and by what is no text at all. */
function* changesOf(request: Pieces): Generator<Changed> {
  for (const [at, [piece, text]] of request.entries()) {
    if (piece === 'plain') continue;
    for (let offset = 0; offset < text.length; offset++) {
      const known = text.charCodeAt(offset);
      const odd = piece === 'body' ? [0x00, 0xff] : [];
      for (const byte of [known ^ 0x01, known ^ 0x20, 0x37, ...odd]) {
        const isVisible = byte > 0x20 && byte < 0x7f;
        if (byte !== known && (isVisible || odd.includes(byte))) yield { piece, at, offset, byte };
      }
    }
  }
}

function isChosen(what: string, request: Pieces, { piece, at, offset, byte }: Changed): boolean {
  const before = request[at]![1][offset]!;
  const kind = /[a-z]/i.test(before) ? 'letter' : /\d/.test(before) ? 'digit' : before;
  return isTried(
    `${what} ${piece} ${kind} ${(byte ^ before.charCodeAt(0)).toString(2)}`,
    `${what} ${at} ${offset} ${byte}`,
  );
}

/**
 * The spellings that are one request by the grammar: the case of the scheme, of header names, of host names, of media
 * types and of the hex digits of an escape that is decoded before it is signed; whatever stands in a realm, and the
 * case of its name.
 * @source authentication 2.1, 2.2; RFC 5849 3.4.1, 3.5.1; RFC 9110 5.1, 8.3.1
 */
function isSameRequest(request: Pieces, { piece, at, offset, byte }: Changed): boolean {
  const text = request[at]![1];
  const isOtherCase = /[A-Za-z]/.test(text[offset]!) && (byte ^ 0x20) === text.charCodeAt(offset);
  if (piece === 'host' || piece === 'header name' || piece === 'type') return isOtherCase;
  if (piece === 'authorization') {
    const realmEnd = text.indexOf('",', REALM_AT);
    if (offset >= REALM_AT && offset < realmEnd) return true;
    if (offset < REALM_AT - 2) return isOtherCase && offset !== 'OAuth'.length;
  }
  const isForm = piece === 'body' && !isJson(request, { at });
  const isDecoded = piece === 'query' || piece === 'authorization' || isForm;
  return isDecoded && isOtherCase && /%[0-9A-Fa-f]?$/.test(text.slice(Math.max(0, offset - 2), offset));
}

function isJson(request: Pieces, { at }: Pick<Changed, 'at'>): boolean {
  return request[at]![1].startsWith('[{');
}

const REALM_AT = 'OAuth realm="'.length;

/**
 * What is no request at all: no method has such a name, a target begins with a slash, a header name is a token, and
 * HTTP/1.1 demands a Host, which is a name or an address with a port or without.
 */
function isNotHttp(request: Pieces, { piece, at, offset, byte }: Changed): boolean {
  if (piece === 'host') {
    const host = request[at]![1];
    return !AUTHORITY.test(`${host.slice(0, offset)}${String.fromCharCode(byte)}${host.slice(offset + 1)}`);
  }
  if (piece === 'header name') return request[at]![1] === 'Host' || !TOKEN.test(String.fromCharCode(byte));
  return piece === 'method' || (piece === 'path' && offset === 0);
}

/** @source RFC 9110 7.2 */
const AUTHORITY = /^[\w.~-]+(:\d{0,5})?$/;

/** @source RFC 9110 5.6.2 */
const TOKEN = /[\w!#$%&'*+.^`|~-]/;

/** Refused as not authenticated; where the change is seen before any credential is, as what it then is. */
function assertRefused(request: Pieces, changed: Changed, { status, text }: WireReply): void {
  const what = `${JSON.stringify(changed)} (${String.fromCharCode(changed.byte)}): ${status} ${text}`;
  if (isNotHttp(request, changed)) {
    assert.equal(status, 400, what);
    return;
  }
  const code = JSON.parse(text).errors?.[0].code;
  // A path that nothing has, and a host that plain HTTP is not for, are told before anything is authenticated.
  if (changed.piece === 'path' && status === 404) assert.equal(code, 'ROUTE_NOT_FOUND', what);
  else if (changed.piece === 'host' && status === 403) assert.equal(code, 92, what);
  else assert.deepEqual([status, code], [401, 'UNAUTHORIZED_ACCESS'], what);
}

function bytesOf(request: Pieces, changed?: Changed): Buffer {
  return Buffer.concat(
    request.map(([, text], at) => {
      const bytes = Buffer.from(text, 'latin1');
      if (changed?.at === at) bytes[changed.offset] = changed.byte;
      return bytes;
    }),
  );
}

/** Local names end with `localhost`: letters, so that their case can change. */
function hostOf(): string {
  return `localhost:${new URL(world.service.sandboxUrl).port}`;
}

function read(
  path: string,
  query: string,
  oauth: Record<string, string> = protocol(world.keys, world.clock),
  secret?: string,
): Pieces {
  const target = query === '' ? path : `${path}?${query}`;
  const header = authorization('GET', target, oauth, {}, secret);
  const asked: Pieces =
    query === ''
      ? []
      : [
          ['plain', '?'],
          ['query', query],
        ];
  return [['method', 'GET'], ['plain', ' '], ['path', path], ...asked, ...headOf(header), ['plain', '\r\n']];
}

function write(method: string, path: string, form: string): Pieces {
  const oauth = protocol(world.keys, world.clock);
  const header = authorization(method, path, oauth, { form: [...new URLSearchParams(form)] });
  return [
    ['method', method],
    ['plain', ' '],
    ['path', path],
    ...headOf(header),
    ['header name', 'Content-Type'],
    ['plain', ': '],
    ['type', 'application/x-www-form-urlencoded'],
    ['plain', `\r\nContent-Length: ${form.length}\r\n\r\n`],
    ['body', form],
  ];
}

function batch(body: string, hashed: 'with its hash' | 'without its hash'): Pieces {
  const path = `/12/batch/accounts/${home.account}/campaigns`;
  const oauth = protocol(world.keys, world.clock);
  if (hashed === 'with its hash') oauth.oauth_body_hash = hash('sha1', body, 'base64');
  return [
    ['method', 'POST'],
    ['plain', ' '],
    ['path', path],
    ...headOf(authorization('POST', path, oauth, {})),
    ['plain', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`],
    ['body', body],
  ];
}

function items(name = 'two'): unknown[] {
  return [{ operation_type: 'Update', params: { campaign_id: campaign, name } }];
}

function headOf(header: string): Pieces {
  return [
    ['plain', ' HTTP/1.1\r\n'],
    ['header name', 'Host'],
    ['plain', ': '],
    ['host', hostOf()],
    ['plain', '\r\n'],
    ['header name', 'Authorization'],
    ['plain', ': '],
    ['authorization', header],
    ['plain', '\r\n'],
  ];
}

/** The header with a realm in front. */
function authorization(
  method: string,
  target: string,
  oauth: Record<string, string>,
  signed: { readonly form?: [string, string][] },
  tokenSecret = world.keys.access_token_secret,
): string {
  const url = `http://${hostOf()}${target}`;
  const { header } = sign({
    method,
    url,
    ...signed,
    oauth,
    consumerSecret: world.keys.consumer_secret,
    tokenSecret,
  });
  return `OAuth realm="a realm", ${header.slice('OAuth '.length)}`;
}
