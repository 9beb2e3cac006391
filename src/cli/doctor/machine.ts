import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Settings } from '../../settings.ts';
import { programVersion } from '../../version.ts';
import { error, type Finding, ok, warning } from './finding.ts';

/**
 * The minimum limit of file descriptors: each connection, stream and file takes one; many systems allow about a
 * thousand, too few for a busy service.
 */
const OPEN_FILES_MIN = 4096;

/** Checks the version, the limit of open files, and ffmpeg. */
export async function examineMachine({ ffmpeg_program }: Settings): Promise<Finding[]> {
  const findings = [
    ok(`Barker ${programVersion} on Node.js ${process.versions.node}, ${process.platform} ${process.arch}`),
  ];
  const openFiles = openFilesMax();
  if (openFiles !== undefined && openFiles < OPEN_FILES_MIN) {
    findings.push(
      warning(
        `at most ${openFiles} files and connections may be open`,
        `raise the limit: ulimit -n ${OPEN_FILES_MIN * 16}`,
      ),
    );
  } else if (openFiles !== undefined) findings.push(ok(`up to ${openFiles} files and connections may be open`));
  if (ffmpeg_program !== '') findings.push(await examineFfmpeg(ffmpeg_program));
  return findings;
}

/** The limit of open files; undefined if the system does not report it. */
function openFilesMax(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

async function examineFfmpeg(program: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-version'], { env: {}, timeout: 5000 });
    return ok(`ffmpeg_program runs: ${stdout.split('\n', 1)[0]!.slice(0, 60)}`);
  } catch (failure) {
    const { code } = failure as { code?: unknown };
    return error(
      `ffmpeg_program ${program} does not run (${code ?? 'no answer'})`,
      'correct the setting, or leave it empty',
    );
  }
}
