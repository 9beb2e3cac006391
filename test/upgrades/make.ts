import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/*
 * Makes the fixture of a release: `npm run upgrade-fixture -- 550ae53 0.1.0` checks the commit out in a temporary folder, fills a service
 * there, and writes test/upgrades/0.1.0.json.zst. The sources have to work with the packages that are installed here.
 */
const [commit, release] = process.argv.slice(2);
if (!commit || !release) throw new Error('name a commit and the release that it is');
const sources = mkdtempSync(join(tmpdir(), 'barker-release-'));
try {
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', sources], { input: archive });
  symlinkSync(resolve('node_modules'), join(sources, 'node_modules'));
  // How a service is filled and asked is the same for every release.
  for (const path of ['test/rig/reads.ts', 'test/upgrades/fill.ts', 'test/upgrades/fixture.ts'])
    cpSync(path, join(sources, path));
  const written = resolve('test/upgrades', `${release}.json.zst`);
  execFileSync(process.execPath, ['test/upgrades/fill.ts', written], {
    cwd: sources,
    env: { ...process.env, TEST_DATABASE: 'sqlite' },
    stdio: 'inherit',
  });
} finally {
  rmSync(sources, { recursive: true, force: true });
}
