import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './processes.ts';

// Self-contained archives: the Node.js of a platform, the package, and a launcher of both.
// @source decision 1203

/** The systems for which the package brings its Node.js along, such as `linux-x64`, with the version. */
export function platformsOf(manifest: { optionalDependencies: Record<string, string> }): Map<string, string> {
  return new Map(
    Object.entries(manifest.optionalDependencies).map(([name, version]) => [name.replace(/^node-/, ''), version]),
  );
}

/** What the launcher of other systems than Windows is: found through links, wherever the folder is moved. */
const LAUNCHER = `#!/bin/sh
self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=$(dirname "$self")/$link ;; esac
done
home=$(cd "$(dirname "$self")" && pwd -P)
exec "$home/runtime/node" "$home/app/bin/barker.js" "$@"
`;
const WINDOWS_LAUNCHER = '@echo off\r\n"%~dp0runtime\\node.exe" "%~dp0app\\bin\\barker.js" %*\r\n';

/**
 * Makes the archive of a platform in a folder.
 * @param tarball of the package
 * @param changed_s the time that all its files are given, so that the same version gives the same bytes
 * @returns the name of its file
 */
export async function archiveFor(
  platform: string,
  node: string,
  { version, tarball, into, changed_s }: { version: string; tarball: string; into: string; changed_s: number },
): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'barker-archive-'));
  try {
    const name = `barker-${version}-${platform}`;
    const home = join(work, name);
    mkdirSync(join(home, 'app'), { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(home, 'app')]);
    const runtime = await runtimeFolder(platform, node, work);
    const isWindows = platform.startsWith('win');
    const program = isWindows ? 'node.exe' : 'node';
    cpSync(join(runtime, 'bin', program), join(home, 'runtime', program));
    // The package for Windows has none.
    const licences = [join(runtime, 'LICENSE'), ...globSync('node_modules/node-*/LICENSE')];
    cpSync(licences.find(existsSync)!, join(home, 'runtime/LICENSE'));
    chmodSync(join(home, 'runtime', program), 0o755);
    const launcher = join(home, isWindows ? 'barker.cmd' : 'barker');
    writeFileSync(launcher, isWindows ? WINDOWS_LAUNCHER : LAUNCHER);
    chmodSync(launcher, 0o755);
    for (const file of ['LICENSE', 'README.md']) cpSync(join(home, 'app', file), join(home, file));
    const file = `${name}${isWindows ? '.zip' : '.tar.xz'}`;
    await pack(work, name, join(into, file), changed_s);
    return file;
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function pack(work: string, name: string, file: string, changed_s: number): Promise<void> {
  if (file.endsWith('.zip')) {
    await run('find', [name, '-exec', 'touch', '-d', `@${changed_s}`, '{}', '+'], { cwd: work });
    await run('zip', ['-qrX9', file, name], { cwd: work, env: { ...process.env, TZ: 'UTC' } });
    return;
  }
  const same = ['--sort=name', `--mtime=@${changed_s}`, '--owner=0', '--group=0', '--numeric-owner'];
  const env = { XZ_OPT: '-6 -T2', ...process.env };
  await run('tar', ['-cJf', file, ...same, '-C', work, name], { env });
}

/** The package with the Node.js of a platform: that of this checkout, or that of the registry, which must be the locked one. */
async function runtimeFolder(platform: string, version: string, work: string): Promise<string> {
  const name = `node-${platform}`;
  const installed = join('node_modules', name);
  if (existsSync(installed)) return installed;
  const args = ['pack', `${name}@${version}`, '--json', '--prefer-offline', '--pack-destination', work];
  const packed = await run('npm', args);
  const [{ filename, integrity }] = JSON.parse(packed);
  const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages[`node_modules/${name}`];
  if (integrity !== locked.integrity) throw new Error(`${name}@${version} is not the one of package-lock.json`);
  const folder = join(work, 'runtime');
  mkdirSync(folder);
  await run('tar', ['-xzf', join(work, filename), '--strip-components=1', '-C', folder]);
  return folder;
}
