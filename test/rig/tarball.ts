import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

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
