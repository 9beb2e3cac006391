import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A stand-in for the npm registry, at 127.0.0.1. */
export interface Registry {
  readonly url: string;
  /** What was asked for, in order: names of packages, and of their files. */
  readonly asked: readonly string[];
  /** Written by every package of somebody else as soon as any of its code runs. */
  readonly mark: string;
  close(): void;
}

/**
 * Opens a registry that has a package of ours, under its name, and under every other name one of somebody else with a command
 * of that name; but none of those in `missing`.
 */
export async function openRegistry(folder: string, tarball: string, missing: readonly string[]): Promise<Registry> {
  const ours = JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }));
  const mark = join(folder, 'mark');
  const asked: string[] = [];
  const fileOf = (name: string): string => (name === ours.name ? tarball : foreignTarball(folder, name, mark));
  const server = createServer((request, reply) => {
    const path = decodeURIComponent(request.url!.slice(1));
    asked.push(path);
    const [, name, isFile] = /^(.+?)(\/-\/.*)?$/.exec(path)!;
    if (missing.includes(name!) || path.startsWith('-/')) return reply.writeHead(404).end('{}');
    if (isFile) return reply.end(readFileSync(fileOf(name!)));
    const bytes = readFileSync(fileOf(name!));
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const manifest = name === ours.name ? ours : foreignManifest(name!);
    const dist = { tarball: `http://${request.headers.host}/${name}/-/package.tgz`, integrity };
    const { version } = manifest;
    reply.writeHead(200, { 'content-type': 'application/json' });
    return reply.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    mark,
    close: () => server.close().closeAllConnections(),
  };
}

function foreignManifest(name: string) {
  const command = name.replace(/^.*\//, '');
  return { name, version: '9.9.9', bin: { [command]: 'run.js' }, scripts: { postinstall: 'node run.js' } };
}

/** A package that writes the mark when it is installed, and when its command runs. */
function foreignTarball(folder: string, name: string, mark: string): string {
  const home = join(folder, 'foreign', name.replaceAll('/', '+'));
  mkdirSync(join(home, 'package'), { recursive: true });
  writeFileSync(join(home, 'package/package.json'), JSON.stringify(foreignManifest(name)));
  const code = `#!/usr/bin/env node\nrequire('node:fs').appendFileSync(${JSON.stringify(mark)}, ${JSON.stringify(`${name}\n`)});\n`;
  writeFileSync(join(home, 'package/run.js'), code, { mode: 0o755 });
  const file = join(home, 'package.tgz');
  execFileSync('tar', ['-czf', file, '--mtime=@0', '--sort=name', '-C', home, 'package']);
  return file;
}
