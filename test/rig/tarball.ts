import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Makes the package that is installed elsewhere, in a folder that is there, for the processes that are started from now on:
 * to make it takes longer than most of what is tried with it.
 * @returns the path of the file.
 */
export function packTarball(folder: string): string {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { encoding: 'utf8' });
  const file = join(folder, packed.trim().split('\n').at(-1)!);
  process.env.TEST_TARBALL = file;
  return file;
}

/** The package, made once a run; in `folder` when there is no run. */
export function tarballIn(folder: string): string {
  return process.env.TEST_TARBALL || packTarball(folder);
}

/**
 * Installs the package in a folder as npm does, but without a network: the packages that it names and does not contain are
 * those of this checkout.
 * @returns the folder of the package.
 */
export function installTarball(folder: string): string {
  const packages = join(folder, 'node_modules');
  const home = join(packages, 'barker');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', tarballIn(folder), '--strip-components=1', '-C', home]);
  const { dependencies, bundleDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    if (bundleDependencies.includes(name)) continue;
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(packages, name));
  }
  return home;
}
