import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
 * Installs the package in a folder as npm does without optional dependencies: it needs no other package.
 * @returns the folder of the package.
 */
export async function installTarball(folder: string): Promise<string> {
  const home = join(folder, 'node_modules/@barker-ads/server');
  mkdirSync(home, { recursive: true });
  await run('tar', ['-xzf', await tarballIn(folder), '--strip-components=1', '-C', home]);
  return home;
}
