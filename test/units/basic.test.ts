import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseBasicHeader } from '../../src/features/auth/oauth2/basic-header.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = 's3cr3t/With+Odd=Chars&And%Percent~Tilde';
const key = 'k3yC0nsumerExample0000001';

/** The values of the reference. @source authentication 23.7 */
const PUBLISHED = 'eHZ6MWV2RlM0d0VFUFRHRUZQSEJvZzpMOHFxOVBaeVJnNmllS0dFS2hab2xHQzB2SldMdzhpRUo4OERSZHlPZw==';
const ENCODED = 'azN5QzBuc3VtZXJFeGFtcGxlMDAwMDAwMTpzM2NyM3QlMkZXaXRoJTJCT2RkJTNEQ2hhcnMlMjZBbmQlMjVQZXJjZW50flRpbGRl';
const RAW = 'azN5QzBuc3VtZXJFeGFtcGxlMDAwMDAwMTpzM2NyM3QvV2l0aCtPZGQ9Q2hhcnMmQW5kJVBlcmNlbnR+VGlsZGU=';
const encodedSecret = 's3cr3t%2FWith%2BOdd%3DChars%26And%25Percent~Tilde';

describe('key and secret of a Basic header', () => {
  const published = {
    key: 'xvz1evFS4wEEPTGEFPHBog',
    secret: 'L8qq9PZyRg6ieKGEKhZolGC0vJWLw8iEJ88DRdyOg',
  };
  const read = [
    ['letters and digits', `Basic ${PUBLISHED}`, [published]],
    ['without padding', `Basic ${PUBLISHED.replaceAll('=', '')}`, [published]],
    ['another case of the scheme', `bASIC ${PUBLISHED}`, [published]],
    ['more blanks', `  Basic \t ${PUBLISHED} `, [published]],
    [
      'a pair that was encoded first',
      `Basic ${ENCODED}`,
      [
        { key, secret: encodedSecret },
        { key, secret },
      ],
    ],
    ['a raw pair that is no escaped text', `Basic ${RAW}`, [{ key, secret }]],
    ['a colon in the secret', `Basic ${base64('a:b:c')}`, [{ key: 'a', secret: 'b:c' }]],
    ['an empty key and secret', `Basic ${base64(':')}`, [{ key: '', secret: '' }]],
    ['a plus sign, which is no blank', `Basic ${base64('a:b+c')}`, [{ key: 'a', secret: 'b+c' }]],
    ['letters beyond ASCII', `Basic ${base64('ä:€')}`, [{ key: 'ä', secret: '€' }]],
  ] as const;
  for (const [input, header, readings] of read) {
    test(`are read: ${input}`, () => assert.deepEqual(parseBasicHeader(header), readings));
  }

  const refused = [
    ['nothing', undefined],
    ['another scheme', `Bearer ${PUBLISHED}`],
    ['a scheme that only begins alike', `Basically ${PUBLISHED}`],
    ['no value', 'Basic '],
    ['no colon', `Basic ${base64('ab')}`],
    ['wrong padding', `Basic ${base64('a:bcd')}=`],
    ['one padding where two belong', 'Basic YTpiYw='],
    ['one digit too many', 'Basic YTpiY'],
    ['characters of another alphabet', 'Basic YTpi-_=='],
    ['two values', `Basic ${PUBLISHED}, ${PUBLISHED}`],
    ['bytes that are not UTF-8', `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`],
  ] as const;
  for (const [input, header] of refused) {
    test(`are refused: ${input}`, () => assert.equal(parseBasicHeader(header), undefined));
  }
});
