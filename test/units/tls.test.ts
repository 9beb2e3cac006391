import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../src/base/clock.ts';
import { ensureCertificates } from '../../src/dev/certificates.ts';
import { openTls } from '../../src/http/tls.ts';

const ENCRYPTED = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGjMF8G\n-----END ENCRYPTED PRIVATE KEY-----\n';

let folder: string;
let good: { cert: string; key: string };
let otherKey: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
  good = await ensureCertificates(join(folder, 'one'), [], systemClock);
  otherKey = readFileSync((await ensureCertificates(join(folder, 'other'), [], systemClock)).key, 'utf8');
});
after(() => rmSync(folder, { recursive: true }));

/** Reads a certificate and a key: the good ones, or files with other contents. */
function opened(contents: { cert?: string; key?: string } = {}) {
  const paths = { cert: good.cert, key: good.key };
  for (const [name, text] of Object.entries(contents)) {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, text);
    paths[name as 'cert' | 'key'] = path;
  }
  return openTls({ ...paths, flags: { cert: '--c', key: '--k' } }, systemClock, pino({ enabled: false }));
}

describe('a certificate and its key', () => {
  test('are read', () => {
    assert.ok(opened().expiresAt_s() > systemClock.now() / 1000);
  });

  for (const [why, contents, message] of [
    ['no certificate', () => ({ cert: 'hello' }), /^--c: \S+cert\.pem contains no PEM certificate$/],
    ['no key', () => ({ key: 'hello' }), /^--k: \S+key\.pem contains no PEM private key$/],
    [
      'a key with a passphrase',
      () => ({ key: ENCRYPTED }),
      /^--k: the key in \S+ is encrypted; remove its passphrase$/,
    ],
    [
      'the key of another certificate',
      () => ({ key: otherKey }),
      /^--k: the key in \S+key\.pem does not match the certificate in \S+cert\.pem$/,
    ],
    [
      'a chain that is cut off',
      () => ({ cert: `${readFileSync(good.cert, 'utf8')}-----BEGIN CERTIFICATE-----\nMIIB\n` }),
      /^--c: \S+cert\.pem cannot be used: /,
    ],
  ] as const) {
    test(`are refused: ${why}`, () => {
      assert.throws(() => opened(contents()), { message });
    });
  }
});
