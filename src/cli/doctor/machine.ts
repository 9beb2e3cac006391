import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Settings } from '../../settings.ts';
import { programVersion } from '../../version.ts';
import { fewOpenFiles, openFilesMax } from '../start-warnings.ts';
import { error, type Finding, ok, warning } from './finding.ts';

/** Checks the version, the limit of open files, and ffmpeg. */
export async function examineMachine({ ffmpeg_program }: Settings): Promise<Finding[]> {
  const findings = [
    ok(`Barker ${programVersion} on Node.js ${process.versions.node}, ${process.platform} ${process.arch}`),
  ];
  const openFiles = openFilesMax();
  if (openFiles !== undefined) {
    const few = fewOpenFiles(openFiles);
    findings.push(few ? warning(...few) : ok(`up to ${openFiles} files and connections may be open`));
  }
  if (ffmpeg_program !== '') findings.push(await examineFfmpeg(ffmpeg_program));
  return findings;
}

async function examineFfmpeg(program: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-version'], { env: {}, timeout: 5000 });
    if (!stdout.includes('--enable-libx264')) {
      return warning(`ffmpeg_program ${program} cannot convert videos`, 'install a build with libx264');
    }
    return ok(`ffmpeg_program runs: ${stdout.split('\n', 1)[0]!.slice(0, 60)}`);
  } catch (failure) {
    const { code } = failure as { code?: unknown };
    return error(
      `ffmpeg_program ${program} does not run (${code ?? 'no answer'})`,
      'correct the setting, or leave it empty',
    );
  }
}

const GIB = 2 ** 30;
/** Uploads can fill less free space than this within hours. */
const FREE_MIN_BYTES = 2 * GIB;

/** Checks the data folder: that it exists, is private and writable, and has free disk space. */
export async function examineDataFolder({ data_folder: folder }: Settings): Promise<Finding[]> {
  const state = await stat(folder).catch(() => undefined);
  if (!state)
    return [
      error(`the data folder ${folder} does not exist`, 'make it, or correct data_folder; barker migrate makes it too'),
    ];
  if (!state.isDirectory()) return [error(`the data folder ${folder} is not a folder`, 'correct data_folder')];
  const findings: Finding[] = [];
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    findings.push(ok(`the data folder ${folder} can be written`));
  } catch {
    findings.push(
      error(`the data folder ${folder} cannot be written by this user`, `give it to the user that runs Barker`),
    );
  }
  const mode = state.mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const octal = mode.toString(8).padStart(4, '0');
    findings.push(
      warning(`other users of this machine can look into ${folder} (mode ${octal})`, `chmod 700 ${folder}`),
    );
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const message = `${(free / GIB).toFixed(1)} GiB free on the disk of the data folder`;
  findings.push(free < FREE_MIN_BYTES ? warning(message, 'free some, or move the data folder') : ok(message));
  return findings;
}
