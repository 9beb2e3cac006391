import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Makes the package that is installed elsewhere, in a folder that is there, for the processes that are started from now on:
 * to make it takes longer than most of what is tried with it.
 * @returns the path of the file.
 */
export async function packTarball(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder]);
  const file = join(folder, stdout.trim().split('\n').at(-1)!);
  process.env.TEST_TARBALL = file;
  return file;
}

/** The package, made once a run; in `folder` when there is no run. */
export async function tarballIn(folder: string): Promise<string> {
  return process.env.TEST_TARBALL || packTarball(folder);
}

/**
 * Installs the package in a folder as npm does, but without a network: the packages that it names and does not contain are
 * those of this checkout.
 * @returns the folder of the package.
 */
export async function installTarball(folder: string): Promise<string> {
  const packages = join(folder, 'node_modules');
  const home = join(packages, '@barker-ads/server');
  mkdirSync(home, { recursive: true });
  await run('tar', ['-xzf', await tarballIn(folder), '--strip-components=1', '-C', home]);
  const { dependencies, bundleDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    if (bundleDependencies.includes(name)) continue;
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(packages, name));
  }
  return home;
}
