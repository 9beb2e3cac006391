import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cleanEnvironment } from '../commands/program.ts';

/** What a script on a throwaway machine came to. */
export interface ScriptOutcome {
  readonly code: number | null;
  /** Standard output and error, in the order in which they were written. */
  readonly output: string;
}

/** Where files of the test lie on the machine, and where its scripts start. */
const HOME = '/srv/empty';

/**
 * Runs a script as root on a machine that is a copy of this one and is thrown away: whatever it installs, writes or starts is gone
 * afterwards. Needs root and Linux, because it is made of a mount namespace over this machine's root. The network is this
 * machine's.
 * @param files are put into the folder in which the script starts, which is empty otherwise: by name, the path here.
 */
export async function onThrowawayMachine(
  script: string,
  files: Readonly<Record<string, string>>,
): Promise<ScriptOutcome> {
  if (process.getuid?.() !== 0)
    throw new Error('this test needs root: it makes a mount namespace over the root of this machine');
  const folder = mkdtempSync(join(tmpdir(), 'barker-machine-'));
  const input = join(folder, 'given');
  mkdirSync(input);
  for (const [name, path] of Object.entries(files)) copyFileSync(path, join(input, name));
  for (const name of ['systemctl', 'journalctl']) {
    copyFileSync(resolve('test/rig/machine', name), join(input, `.${name}`));
    chmodSync(join(input, `.${name}`), 0o755);
  }
  writeFileSync(join(folder, 'script'), script);
  const child = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-euc', MACHINE, 'machine', folder, HOME],
    {
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  try {
    return await ended(child);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a login shell of this machine would have; what npm tells its scripts would lead the npm in the script astray. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(cleanEnvironment()).filter(([name]) => !/^(npm_|INIT_CWD|NODE_(?!EXTRA))/.test(name));
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return { ...Object.fromEntries(own), PATH: path, npm_config_prefer_offline: 'true' };
}

/** Makes the machine in a file system in memory, and runs the script in it. */
const MACHINE = `
folder=$1 home=$2
layer=$(mktemp -d)
mount -t tmpfs none "$layer"
mkdir "$layer/upper" "$layer/work" "$layer/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" "$layer/root"
root=$layer/root
mkdir -p "$root$home"
cp -a "$folder/given/." "$root$home/"
mv "$root$home/.systemctl" "$root/usr/local/sbin/systemctl"
mv "$root$home/.journalctl" "$root/usr/local/sbin/journalctl"
cp "$folder/script" "$root/srv/script"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" bash -c 'cd "$1" && exec bash -euo pipefail /srv/script' machine "$home"
`;

function ended(child: ChildProcess): Promise<ScriptOutcome> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ code, output }));
  });
}
