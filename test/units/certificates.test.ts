import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ensureCertificates, isPermitted } from '../../src/dev/certificates.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-02T17:04:55Z');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes what is missing on a day, and reads all files. */
async function onDay(day: number, ...names: string[]) {
  const paths = await ensureCertificates(folder, names, { now: () => START + day * DAY_MS });
  const [ca, cert, key] = [paths.ca, paths.cert, paths.key].map((path) => readFileSync(path, 'utf8'));
  return { ca: ca!, cert: cert!, key: key!, leaf: new X509Certificate(cert!), authority: new X509Certificate(ca!) };
}

describe('the local authority', () => {
  test('is created once, with files that only their owner can read', async () => {
    const first = await onDay(0);
    assert.deepEqual(await onDay(1), await onDay(1));
    assert.equal((await onDay(1)).ca, first.ca);
    assert.deepEqual(readdirSync(join(folder, 'tls')).sort(), ['ca-key.pem', 'ca.pem', 'cert.pem', 'key.pem']);
    for (const name of ['ca-key.pem', 'key.pem']) {
      assert.equal(statSync(join(folder, 'tls', name)).mode & 0o777, 0o600, name);
    }
    assert.equal(first.authority.ca, true);
    assert.deepEqual(readdirSync(folder), ['tls']);
  });

  test('is created once by concurrent processes', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => onDay(0)));
    assert.equal(new Set(all.map(({ ca }) => ca)).size, 1);
    assert.ok((await onDay(0)).leaf.checkIssued(all[0]!.authority));
    assert.deepEqual(readdirSync(folder), ['tls']);
  });

  for (const [name, made, may] of [
    ['localhost', [], true],
    ['a.localhost', [], true],
    ['127.0.0.9', [], true],
    ['::1', [], true],
    ['ads.test', [], false],
    ['ads.test', ['ads.test'], true],
    ['www.ads.test', ['ads.test'], true],
    ['badads.test', ['ads.test'], false],
    ['test', ['ads.test'], false],
    ['10.0.0.1', [], false],
    ['10.0.0.1', ['10.0.0.1'], true],
    ['10.0.0.2', ['10.0.0.1'], false],
    ['fd00::5', ['fd00:0::5'], true],
    ['fd00::6', ['fd00::5'], false],
  ] as const) {
    test(`made for ${made.join() || 'this machine'}, it ${may ? 'may' : 'may not'} speak for ${name}`, async () => {
      const { authority } = await onDay(0, ...made);
      assert.equal(isPermitted(authority.raw, name), may);
    });
  }

  test('that does not cover a name explains how to create another', async () => {
    await onDay(0, 'ads.test');
    await onDay(0, 'www.ads.test');
    await assert.rejects(
      onDay(0, 'other.test'),
      /ca\.pem was not made for other\.test; rename .*tls to have a new one made/,
    );
  });

  test('without its key, or expired, explains how to create another', async () => {
    await onDay(0);
    await assert.rejects(onDay(3640), /ca\.pem ends soon; rename /);
    rmSync(join(folder, 'tls', 'ca-key.pem'));
    await assert.rejects(onDay(0), /ca\.pem and .*ca-key\.pem are not a certificate and its key; rename /);
  });
});

describe('the certificate', () => {
  test('is for this machine and the given names, for 397 days at most', async () => {
    const { leaf, authority } = await onDay(0, 'Ads.test', '10.0.0.1');
    for (const name of ['localhost', 'ads.test']) assert.equal(leaf.checkHost(name), name);
    for (const address of ['127.0.0.1', '::1', '10.0.0.1']) assert.ok(leaf.checkIP(address), address);
    assert.equal(leaf.checkHost('other.test'), undefined);
    assert.ok(leaf.verify(authority.publicKey));
    assert.equal(leaf.ca, false);
    assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
    const days = (leaf.validToDate.getTime() - leaf.validFromDate.getTime()) / DAY_MS;
    assert.ok(days > 396 && days <= 397, String(days));
    assert.ok(leaf.validFromDate.getTime() < START);
  });

  test('is kept until fewer than 30 days are left, and then renewed by the same authority', async () => {
    const first = await onDay(0);
    assert.equal((await onDay(366)).cert, first.cert);
    const second = await onDay(367);
    assert.notEqual(second.cert, first.cert);
    assert.equal(second.ca, first.ca);
    assert.ok(second.leaf.verify(first.authority.publicKey));
  });

  test('never outlives its authority', async () => {
    await onDay(0);
    const { leaf, authority } = await onDay(3500);
    assert.equal(leaf.validTo, authority.validTo);
  });

  test('is replaced for a new name, for a wrong key, and for another authority', async () => {
    const first = await onDay(0);
    const named = await onDay(0, 'a.localhost');
    assert.notEqual(named.cert, first.cert);
    assert.equal((await onDay(0)).cert, named.cert);
    cpSync(join(folder, 'tls', 'ca-key.pem'), join(folder, 'tls', 'key.pem'));
    const again = await onDay(0);
    assert.notEqual(again.cert, named.cert);
    const other = mkdtempSync(join(tmpdir(), 'certificates-'));
    await ensureCertificates(other, [], { now: () => START });
    for (const name of ['ca.pem', 'ca-key.pem']) cpSync(join(other, 'tls', name), join(folder, 'tls', name));
    rmSync(other, { recursive: true });
    const moved = await onDay(0);
    assert.notEqual(moved.cert, again.cert);
    assert.ok(moved.leaf.verify(moved.authority.publicKey));
  });
});
