import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILED } from './cache.ts';
import { createTemplates } from './databases.ts';
import { keepAliasFile } from './foreign-words.ts';
import { startPostgres } from './postgres.ts';
import { packTarball } from './tarball.ts';
import { keepDescription, keepValidators } from './validation.ts';

/** What the processes of a run share. */
export interface EnvironmentOptions {
  /** How many connections the database server takes; none without. */
  readonly connections?: number;
  /** A file with a renamed word for each word of the interface. */
  readonly hasAliasFile?: boolean;
  /** The package as it is published. */
  readonly hasTarball?: boolean;
  /** Compiled schemas of every reply: a process that runs one file needs few of them. */
  readonly hasValidators?: boolean;
}

/**
 * Makes what all processes of a run share, once: databases to copy, the description of replies and its validators, a cache of
 * compiled modules. Processes that are started from now on find it through environment variables.
 * @returns the folder that holds it, and what removes it.
 */
export async function openEnvironment(
  options: EnvironmentOptions,
): Promise<{ folder: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-compiled-'));
  // Every process loads the whole program, and many start commands: each module is compiled once, also for later runs.
  process.env.NODE_COMPILE_CACHE = COMPILED;
  const { connections } = options;
  // These take seconds of other processes, in which this one makes the rest.
  const starting = connections === undefined ? undefined : startPostgres({ isHasty: true, connections });
  const building = bundle().then(() => (options.hasTarball ? packTarball(folder) : undefined));
  keepDescription(folder);
  if (options.hasAliasFile) keepAliasFile(folder);
  if (options.hasValidators) process.env.TEST_VALIDATORS = keepValidators();
  const server = await starting;
  process.env.TEST_POSTGRES_URL = server?.url ?? '';
  await createTemplates(folder, server?.url);
  await building;
  return {
    folder,
    async close() {
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Builds pages and program as the sources are now, and not when the packages were installed: it loads in a third of the time. */
async function bundle(): Promise<void> {
  for (const step of ['build/islands.js', 'build/program.js', 'build/site.js'])
    await promisify(execFile)(process.execPath, [step]);
}
