import { spawnSync } from 'node:child_process';

/** Makes sure that packages of Debian are installed. Throws with the line that installs them when they are not. */
export function needPackages(...names: readonly string[]): void {
  const missing = names.filter((name) => {
    const { stdout } = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' });
    return !/^Status: install ok installed$/m.test(stdout ?? '');
  });
  if (missing.length > 0) throw new Error(`this machine lacks packages: apt-get install -y ${missing.join(' ')}`);
}
