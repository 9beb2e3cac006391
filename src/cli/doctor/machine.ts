import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Settings } from '../../settings.ts';
import { programVersion } from '../../version.ts';
import { fewOpenFiles, openFilesMax } from '../open-files.ts';
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
