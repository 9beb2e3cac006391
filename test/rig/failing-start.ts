import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cleanEnvironment } from '../commands/program.ts';

/** What the program writes when what its first module calls fails, and the position of that call in the module. */
export function failingStart(entry: string): { readonly stderr: string; readonly position: string } {
  const failing = `process.umask = () => { throw new TypeError('on purpose'); };`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(failing)}`, entry, '--version'];
  const { stderr } = spawnSync(process.execPath, args, { env: cleanEnvironment(), encoding: 'utf8' });
  const lines = readFileSync('src/main.ts', 'utf8').split('\n');
  const line = lines.findIndex((each) => each.startsWith('process.umask')) + 1;
  return { stderr, position: `${line}:9` };
}
