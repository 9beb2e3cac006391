import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startWarnings } from '../../src/cli/start-warnings.ts';
import { loadSettings } from '../../src/settings/load.ts';

const folder = mkdtempSync(join(tmpdir(), 'barker-warnings-'));
after(() => rmSync(folder, { recursive: true }));

const KEY = 'a'.repeat(64);
const GOOD = { public_base_url: 'https://a.test', public_sandbox_url: 'https://s.test', trusted_proxies: '127.0.0.1' };

function fileOf(name: string, text: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function warned(environment: Record<string, string>, flags: Record<string, unknown> = {}): string[] {
  const readFile = (path: string) => readFileSync(path, 'utf8');
  return startWarnings(loadSettings({ mode: 'serve', environment, flags: { ...GOOD, ...flags }, readFile }), 65_536);
}

describe('a start warns', () => {
  test('about nothing when nothing is missing', () => {
    const path = fileOf('right.key', KEY, 0o600);
    assert.deepEqual(warned({ BARKER_MASTER_KEY_FILE: path }), []);
    assert.deepEqual(warned({ BARKER_MASTER_KEY: KEY }), []);
  });

  test('about each file with a secret that others can read, with its mode', () => {
    const key = fileOf('open.key', KEY, 0o644);
    const tls = fileOf('tls.key', 'not read here', 0o640);
    const config = fileOf('config.json', JSON.stringify({ master_keys_old: [`k0:${KEY}`] }), 0o604);
    const cert = fileOf('tls.pem', 'not read here', 0o644);
    assert.deepEqual(warned({ BARKER_MASTER_KEY_FILE: key, BARKER_CONFIG: config }, { tls_key: tls, tls_cert: cert }), [
      `config: ${config} holds a secret and is open to everybody on this machine (mode 0604); run: chmod 600 ${config}`,
      `BARKER_MASTER_KEY_FILE: ${key} holds a secret and is open to everybody on this machine (mode 0644); run: chmod 600 ${key}`,
      `tls_key: ${tls} holds a secret and is open to its group (mode 0640); run: chmod 600 ${tls}`,
    ]);
  });

  test('about few files and connections, as the doctor does', () => {
    const settings = loadSettings({
      mode: 'serve',
      environment: { BARKER_MASTER_KEY: KEY },
      flags: GOOD,
      readFile: () => '',
    });
    assert.deepEqual(startWarnings(settings, 4096), []);
    assert.deepEqual(startWarnings(settings, 64), [
      'at most 64 files and connections may be open; raise the limit: ulimit -n 65536',
    ]);
  });

  test('about no settings file without a secret', () => {
    const config = fileOf('plain.json', JSON.stringify({ port: 80 }), 0o644);
    assert.deepEqual(warned({ BARKER_MASTER_KEY: KEY, BARKER_CONFIG: config }), []);
  });

  test('when public URLs or TLS are missing, and explains the consequences', () => {
    const none = { public_base_url: undefined, public_sandbox_url: undefined, trusted_proxies: undefined };
    const told = warned({ BARKER_MASTER_KEY: KEY }, none);
    assert.match(
      told[0]!,
      /^public_base_url is not set: signatures are checked against the host that each request names/,
    );
    assert.match(told[1]!, /^public_sandbox_url is not set/);
    assert.match(told[2]!, /^no TLS: neither tls_cert nor trusted_proxies is set, so every caller is refused$/);
    const loopback = warned({ BARKER_MASTER_KEY: KEY }, { ...none, allow_insecure_loopback: 'true' });
    assert.match(loopback[2]!, /so only callers on this machine are served, unencrypted$/);
    assert.equal(told.length, 3);
  });
});
