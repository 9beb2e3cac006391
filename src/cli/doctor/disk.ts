import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import type { Settings } from '../../settings.ts';
import { error, type Finding, ok, warning } from './finding.ts';

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
    const shown = mode.toString(8).padStart(4, '0');
    findings.push(
      warning(`other users of this machine can look into ${folder} (mode ${shown})`, `chmod 700 ${folder}`),
    );
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const shown = `${(free / GIB).toFixed(1)} GiB free on the disk of the data folder`;
  findings.push(free < FREE_MIN_BYTES ? warning(shown, 'free some, or move the data folder') : ok(shown));
  return findings;
}
