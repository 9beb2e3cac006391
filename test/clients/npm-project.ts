import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../commands/program.ts';

/** A project of somebody else, with packages of its own. */
export interface NpmProject {
  /** What is around it, and removed with it. */
  readonly home: string;
  readonly folder: string;
  /** Where its programs put temporary files. */
  readonly temporary: string;
  /** What its programs are started with. */
  readonly surroundings: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
  /** Runs a program to its end. Throws with what it printed when it fails. */
  run(program: string, args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>;
  remove(): void;
}

/** Copies a folder into a project, and installs the packages of its lock file. */
export async function openNpmProject(source: string): Promise<NpmProject> {
  const home = mkdtempSync(join(tmpdir(), 'barker-project-'));
  const [folder, temporary] = [join(home, 'project'), join(home, 'temporary')];
  mkdirSync(temporary);
  cpSync(source, folder, { recursive: true });
  // What npm and the test runner tell their own processes would lead these astray.
  const own = Object.entries(cleanEnvironment()).filter(
    ([name]) => !/^(npm_|INIT_CWD|NODE(?!_EXTRA_CA_CERTS))/.test(name),
  );
  const surroundings = { cwd: folder, env: { ...Object.fromEntries(own), TMPDIR: temporary, NO_COLOR: '1' } };
  const run: NpmProject['run'] = (program, args) =>
    promisify(execFile)(program, args, { ...surroundings, maxBuffer: 1e8 }).catch((error) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    });
  await run('npm', ['ci', '--prefer-offline']);
  return { home, folder, temporary, surroundings, run, remove: () => rmSync(home, { recursive: true, force: true }) };
}
