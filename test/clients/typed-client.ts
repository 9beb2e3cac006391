import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../commands/program.ts';

/** A folder of a user of the typed client, in which it is installed. */
export interface TypedProject {
  readonly folder: string;
  /** Writes a program. */
  write(file: string, text: string): void;
  /** Runs a program to its end; throws with what it printed when it fails. */
  run(program: string, args: readonly string[]): Promise<string>;
  /** Checks the types of programs. */
  compile(files: readonly string[], ...options: readonly string[]): Promise<string>;
  /** The module, in this process. */
  load(): Promise<TypedModule>;
  remove(): void;
}

type Calls = Readonly<Record<string, (params?: object, options?: object) => Promise<unknown>>>;

/** The module as these tests use it: its types are checked by programs of its users. */
export interface TypedModule {
  readonly BarkerClient: new (options: object) => Readonly<Record<string, Calls>>;
  readonly [name: string]: unknown;
}

/** Builds the typed client, and installs it in a folder with the types of Node.js. @returns where its code is */
export async function installTypedClient(folder: string): Promise<string> {
  const own = join(folder, 'node_modules/@barker-ads/client');
  mkdirSync(dirname(own), { recursive: true });
  await promisify(execFile)(process.execPath, [resolve('build/client.ts'), own], { env: cleanEnvironment() });
  for (const name of ['@types/node', 'undici-types']) {
    cpSync(resolve('node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  }
  return join(own, 'dist/index.js');
}

/** Builds the typed client, and installs it in a new folder. */
export async function openTypedProject(): Promise<TypedProject> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-typed-'));
  const run: TypedProject['run'] = async (program, args) => {
    const options = { cwd: folder, env: cleanEnvironment(), maxBuffer: 1e8 };
    try {
      return (await promisify(execFile)(program, args, options)).stdout;
    } catch (error) {
      const { message, stdout, stderr } = error as { message: string; stdout: string; stderr: string };
      throw new Error(`${message}\n${stdout}\n${stderr}`);
    }
  };
  const code = await installTypedClient(folder);
  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    run,
    compile: (files, ...options) =>
      run(process.execPath, [
        ...[resolve('node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--target', 'es2024'],
        ...['--module', 'nodenext', ...options, ...files],
      ]),
    load: () => import(pathToFileURL(code).href) as Promise<TypedModule>,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
