import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstRequestScanner } from '../../src/http/first-request-buffer.ts';

const FORM = 'content-type: application/x-www-form-urlencoded; charset=utf-8';
const post = (...headers: string[]) =>
  `POST / HTTP/1.1\r\nhost: a\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n`;
const look = (text: string) => firstRequestScanner(100).scan(Buffer.from(text));

const cases: [what: string, bytes: string, arrived: string][] = [
  ['half a head', 'GET / HTTP/1.1\r\nhost: a\r\n', 'some of the head'],
  ['a head', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', 'enough'],
  ['what is no request', '\x16\x03\x01', 'enough'],
  ['lines that end in no carriage return', 'GET / HTTP/1.1\nhost: a\n\n', 'enough'],
  ['a head without end', `GET / HTTP/1.1\r\nx: ${'y'.repeat(16_400)}`, 'enough'],
  ['half a form', `${post(FORM, 'content-length: 4')}a=b`, 'some of the form'],
  ['a form', `${post(FORM, 'content-length: 3')}a=b`, 'enough'],
  ['a form of no length', post(FORM), 'enough'],
  ['a form that is too large to wait for', post(FORM, 'content-length: 101'), 'enough'],
  ['another body', post('content-type: application/json', 'content-length: 4'), 'enough'],
  ['a form whose sender waits', post(FORM, 'content-length: 4', 'expect: 100-continue'), 'enough'],
  ['two lengths', post(FORM, 'content-length: 4', 'content-length: 5'), 'enough'],
  ['a length and chunks', post(FORM, 'content-length: 4', 'transfer-encoding: chunked'), 'enough'],
  ['another coding', post(FORM, 'transfer-encoding: gzip, chunked'), 'enough'],
  ['no chunk', post(FORM, 'transfer-encoding: chunked'), 'some of the form'],
  ['half a size', `${post(FORM, 'transfer-encoding: chunked')}1`, 'some of the form'],
  ['half a chunk', `${post(FORM, 'transfer-encoding: chunked')}3\r\na=`, 'some of the form'],
  ['a chunk', `${post(FORM, 'transfer-encoding: chunked')}3\r\na=b\r\n`, 'some of the form'],
  ['the last chunk', `${post(FORM, 'transfer-encoding: chunked')}3\r\na=b\r\n0\r\n`, 'enough'],
  ['what is no chunk', `${post(FORM, 'transfer-encoding: chunked')}zz`, 'enough'],
  ['a chunk longer than it says', `${post(FORM, 'transfer-encoding: chunked')}2\r\na=b\r\n`, 'enough'],
  [
    'chunks that are too large to wait for',
    `${post(FORM, 'transfer-encoding: chunked')}fff\r\n${'a'.repeat(101)}`,
    'enough',
  ],
];

describe('the first bytes of a connection', () => {
  for (const [what, bytes, arrived] of cases) test(`${what}: ${arrived}`, () => assert.equal(look(bytes), arrived));

  test('are judged alike in whatever pieces they arrive', () => {
    for (const [what, text] of cases) {
      const bytes = Buffer.from(text);
      const scan = firstRequestScanner(100);
      const step = Math.max(1, Math.floor(bytes.length / 200));
      let arrived = scan.scan(bytes.subarray(0, 1));
      for (let size = 2; size < bytes.length && arrived !== 'enough'; size += step)
        arrived = scan.scan(bytes.subarray(0, size));
      if (arrived !== 'enough') arrived = scan.scan(bytes);
      assert.equal(arrived, look(text), what);
    }
  });
});
