import { spawnSync } from 'node:child_process';

// Checks the subjects of commits that are not in the upstream branch yet, or of the last ones where there is none: `scope:
// imperative`, in lower case. Does nothing without Git or its folder, as in a tarball.

const LENGTH_MAX = 72;
const COUNT_MAX = 20;
const FORM = /^[a-z][a-z0-9-]*: [^A-Z\s].*[^.\s]$/;

/** What is wrong with the subject of a commit, if anything is. */
export function faultOf(subject: string): string | undefined {
  if (subject.length > LENGTH_MAX) return `has ${subject.length} characters, more than ${LENGTH_MAX}`;
  return FORM.test(subject) ? undefined : 'is not `scope: imperative`, in lower case and without a period';
}

/** The subjects to check in a folder, newest first. */
export function subjectsIn(cwd: string): string[] {
  const all = ['log', '--no-merges', `--max-count=${COUNT_MAX}`, '--format=%s'];
  const log = (...range: string[]) => spawnSync('git', [...all, ...range], { cwd, encoding: 'utf8' });
  const ahead = log('@{upstream}..HEAD');
  const { status, stdout } = ahead.status === 0 ? ahead : log();
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
}

if (import.meta.main) {
  for (const subject of subjectsIn(process.cwd())) {
    const fault = faultOf(subject);
    if (fault === undefined) continue;
    process.exitCode = 1;
    process.stderr.write(`the commit subject "${subject}" ${fault}\n`);
  }
}
