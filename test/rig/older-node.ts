import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program and the arguments that come before those of ours. */
export type OlderNode = readonly [program: string, args: readonly string[]];

/** Where a machine has its own Node.js, apart from the one that runs the tests. */
export const MACHINE_PATH = '/usr/bin:/usr/local/bin:/bin';

/** A Node.js too old for Barker: the machine's own, or else the present one in the disguise of an old one. */
export function olderNode(): OlderNode {
  const found = machineNode();
  if (found !== undefined) return [found, []];
  const disguise = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'});Object.defineProperty(process,'version',{value:'v20.20.2'})`;
  return [process.execPath, ['--import', disguise]];
}

/** The machine's own Node.js, if it has one that is too old for Barker. */
function machineNode(): string | undefined {
  const files = MACHINE_PATH.split(':').map((folder) => `${folder}/node`);
  return files.find((file) => {
    if (!existsSync(file)) return false;
    const [, major] = /^v(\d+)/.exec(execFileSync(file, ['--version'], { encoding: 'utf8' })) ?? [];
    return Number(major) < 24;
  });
}
