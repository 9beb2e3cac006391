import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findLeaks, type Leak } from '../rig/leaks.ts';

const TOKEN = '900000001-abcDEFghij0123456789abcDEFghij0123456789';
const BEARER = `${'A'.repeat(22)}abc%2Bdef%2Fghijklmnop%3D`;
const SIGNATURE = 'tR3+Ty81lMeYAr/Fid0kMTYa/WM=';

/** What a search of these logs finds, when process 1 knows all the secrets. */
function search(logs: Readonly<Record<string, string>>): readonly Leak[] {
  const folder = mkdtempSync(join(tmpdir(), 'barker-leaks-'));
  const secrets = [
    ['token', TOKEN],
    ['bearer', BEARER],
    ['signature', SIGNATURE],
    ['PIN', '0731946'],
    ['password', 'correct horse battery'],
  ];
  try {
    writeFileSync(join(folder, '1.secrets'), secrets.map((each) => `${JSON.stringify(each)}\n`).join(''));
    for (const [name, text] of Object.entries(logs)) writeFileSync(join(folder, name), text);
    return findLeaks(folder).leaks;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const at = (kind: string, file = '1.log', line = 1): Leak => ({ kind, file, line });
const rows: [input: string, logs: Record<string, string>, found: Leak[]][] = [
  ['nothing', { '1.log': '{"message":"request","status":200}\n' }, []],
  ['a token', { '1.log': `fine\n{"because":"${TOKEN}"}\n` }, [at('token', '1.log', 2)]],
  ['a token in the log of another process', { '2.log': TOKEN }, [at('token', '2.log')]],
  ['the first characters of a token', { '1.log': `${TOKEN.slice(0, 6)}...` }, []],
  ['a token in an address', { '1.log': `GET /x?oauth_token=${TOKEN}&y` }, [at('token')]],
  ['a bearer token', { '1.log': BEARER }, [at('bearer')]],
  ['a bearer token decoded', { '1.log': decodeURIComponent(BEARER) }, [at('bearer')]],
  ['a bearer token encoded again', { '1.log': encodeURIComponent(BEARER) }, [at('bearer')]],
  ['a signature', { '1.log': `oauth_signature="${SIGNATURE}"` }, [at('signature')]],
  ['a signature encoded', { '1.log': `oauth_signature="${encodeURIComponent(SIGNATURE)}"` }, [at('signature')]],
  ['a PIN', { '1.log': '{"pin":"0731946"}' }, [at('PIN')]],
  ['digits of another process', { '2.log': '{"rows":0731946}' }, []],
  ['digits with others around them', { '1.log': '{"id":"10731946"}' }, []],
  ['a password of several words', { '1.log': 'wrong: correct horse battery' }, [at('password')]],
  ['a password as the name of a request', { '1.log': '{"request_id":"correct horse battery","status":200}' }, []],
  ['a token as the name of a request', { '1.log': `{"request_id":"${TOKEN}"}` }, [at('token')]],
  ['one word of it', { '1.log': 'a battery' }, []],
];
for (const [input, logs, found] of rows) {
  test(`${input}: ${found.length} found`, () => assert.deepEqual(search(logs), found));
}
