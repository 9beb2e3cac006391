import type { SeededRandom } from './seeded-random.ts';
import type { Kind } from './setting.ts';

const PATHS = [
  '/12/accounts',
  '/1.1/x',
  '/2/users/me',
  '/login',
  '/',
  '*',
  'http://a/b',
  '/%',
  '/\u00ff',
  '//',
  '/?',
  '/#',
];

/** The beginnings of requests, or of what is none. */
const HEADS: readonly ((dice: SeededRandom) => string | Buffer)[] = [
  (dice) => dice.bytes(1 + dice.below(400)),
  () => Buffer.from('1603010200010001fc0303', 'hex'),
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\r\n\r\n\r\n',
  () => '\u0000'.repeat(64),
  (dice) =>
    `${dice.pick(['GETT', 'get', 'G\u0000ET', '', 'CONNECT', 'TRACE', 'M-SEARCH', 'X'.repeat(300)])} / HTTP/1.1\r\nhost: a\r\n\r\n`,
  (dice) =>
    `GET ${dice.pick(PATHS)} HTTP/${dice.pick(['1.1', '1.0', '0.9', '2.0', '9.9', '1.1.1', 'x'])}\r\nhost: localhost\r\n\r\n`,
  (dice) => `GET ${dice.pick(PATHS)} HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(dice.below(20_000))}\r\n\r\n`,
  (dice) => `GET / HTTP/1.1\r\nhost: localhost\r\n${'a: b\r\n'.repeat(dice.below(3000))}\r\n`,
  (dice) => `GET /${'x'.repeat(dice.below(30_000))} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  () => 'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
  () => 'GET /12/accounts HTTP/1.1\r\n\r\n',
  () => 'GET / HTTP/1.1\nhost: localhost\n\n',
  () => 'GET / HTTP/1.1\r\nhost: localhost\r\n folded: x\r\n\r\n',
  () => 'GET / HTTP/1.1\r\nhost: localhost\r\nx\u0000y: z\r\n\r\n',
  (dice) =>
    `POST ${dice.pick(PATHS)} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${dice.pick(['-1', '1e9', '99999999999999999999', 'x', '5, 5', '+3', '0x5', ''])}\r\n\r\nabc`,
  (dice) =>
    `POST ${dice.pick(PATHS)} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  (dice) =>
    `POST ${dice.pick(PATHS)} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: ${dice.pick(['chunked', 'chunked, chunked', 'gzip', 'identity', 'xchunked'])}\r\n\r\n${dice.pick(['zz\r\n', '-1\r\na', 'ffffffffffffffffff\r\n', '3\r\nab\r\n', '3;x=y\r\nabc\r\n0\r\nt: u\r\n\r\n', '0\r\n\r\n', '3\nabc'])}`,
  (dice) => `GET ${dice.pick(PATHS)} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(1 + dice.below(50)),
  () => 'POST /12/accounts HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n',
  () =>
    'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n\r\n\u0081\u0082',
  () => 'GET / HTTP/1.1\r\nhost: localhost\r\nauthorization: OAuth x\r\nauthorization: OAuth y\r\n\r\n',
  (dice) =>
    `POST /oauth2/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\n${'a'.repeat(dice.below(1000))}`,
  (dice) =>
    `POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 300000\r\n\r\n${'a=b&'.repeat(dice.below(20_000))}`,
];

/** Bytes that no client sends, whole or in pieces, on a connection of their own; some begin well and end badly. */
export const rawBytes: Kind = async (dice, { world }, sending) => {
  const origin = dice.oneIn(2) ? world.service.url : world.service.sandboxUrl;
  const made = dice.pick(HEADS)(dice);
  let bytes = typeof made === 'string' ? Buffer.from(made, 'latin1') : made;
  if (dice.oneIn(3)) bytes[dice.below(bytes.length)] = dice.below(256);
  if (dice.oneIn(4)) bytes = Buffer.concat([Buffer.from('GET /12/nope HTTP/1.1\r\nhost: localhost\r\n\r\n'), bytes]);
  const pieces: Buffer[] = [];
  const cuts = dice.oneIn(3) ? 1 + dice.below(6) : 0;
  let from = 0;
  for (let cut = 0; cut < cuts && from < bytes.length; cut++) {
    const to = from + 1 + dice.below(bytes.length - from);
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  if (from < bytes.length) pieces.push(bytes.subarray(from));
  await sending.say(origin, pieces, dice.pick([0, 5, 20, 60]));
};
