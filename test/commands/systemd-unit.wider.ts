// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ENTRY } from './program.ts';

const UNITS = ['barker.service', 'barker-backup.service', 'barker-backup.timer'];
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-unit-'));
  for (const name of UNITS) {
    // What it starts must be there to be verified.
    writeFileSync(
      join(folder, name),
      readFileSync(`deploy/${name}`, 'utf8').replaceAll('/opt/barker/bin/barker', ENTRY),
    );
  }
});
after(() => rmSync(folder, { recursive: true }));

for (const name of UNITS) {
  describe(name, () => {
    const analyze = (...args: string[]) =>
      spawnSync('systemd-analyze', [...args, join(folder, name)], { encoding: 'utf8' });

    test('passes systemd-analyze verify', () => {
      const { error, status, stdout, stderr } = analyze('verify');
      assert.equal(error, undefined, 'systemd-analyze is needed; Debian has it in the package systemd');
      assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
    });

    if (name.endsWith('.service')) {
      test('has an exposure of at most 2.0 of 10', () => {
        const { status, stdout } = analyze('security', '--offline=true', '--threshold=20', '--no-pager');
        assert.equal(status, 0, stdout);
      });
    }
  });
}
