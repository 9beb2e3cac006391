import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withClickId } from '../../src/features/delivery/conversions/click-id.ts';
import { landingUrl } from '../../src/features/delivery/serving/creative-json.ts';

test('the address of a landing page stays byte for byte, with the click id at the end of its query', () => {
  const CASES = [
    ['https://a.example', 'https://a.example?click_id=ID'],
    ['https://a.example/?', 'https://a.example/?click_id=ID'],
    ['https://a.example/p#top', 'https://a.example/p?click_id=ID#top'],
    ['https://a.example/?q=a%20b&r=c+d&s', 'https://a.example/?q=a%20b&r=c+d&s&click_id=ID'],
    [
      'https://a.example/?u=https://b.example/?x=(1)~*&&y',
      'https://a.example/?u=https://b.example/?x=(1)~*&&y&click_id=ID',
    ],
    [
      'https://a.example/?click_id=old&a=%2f&xclick_id=1#?click_id=2',
      'https://a.example/?a=%2f&xclick_id=1&click_id=ID#?click_id=2',
    ],
    ['HTTPS://A.example/%7Ea?%zz', 'HTTPS://A.example/%7Ea?%zz&click_id=ID'],
    [
      'https://bücher.example/süß?q=ü\ud800',
      'https://xn--bcher-kva.example/s%C3%BC%C3%9F?q=%C3%BC%EF%BF%BD&click_id=ID',
    ],
  ] as const;
  for (const [url, landing] of CASES) assert.equal(withClickId(landingUrl(url), 'ID'), landing);
  for (const url of [null, '', 'ftp://a.example', 'https://user@a.example', 'https://a.example/ b', 'javascript:1']) {
    assert.equal(landingUrl(url), '', String(url));
  }
});
