import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archiveFor, platformsOf } from './archives.ts';
import { endWithSignals, run as runProgram } from './processes.ts';

// Makes a release, in `release/`: the package, an archive for each system, their checksums, the bill of materials and the
// notes. See CONTRIBUTING.md.
// @source decision 1203

const HELP = `npm run release -- [VERSION] [--dry-run | --publish] [--platform NAME]... [--out FOLDER]

  VERSION          such as 1.1.0; unless given, what follows from the changelog
  --dry-run        makes everything, and changes nothing else: no commit, tag or upload
  --publish        publishes the version that HEAD is tagged with, as the workflow does once the tag is pushed
  --platform NAME  only this archive, such as linux-x64; repeatable
  --out FOLDER     where to put everything (release)
`;

/** Systems that people ask for, and why there is no archive for them. */
const WITHOUT = new Map([['darwin-arm64', 'the registry has no Node.js 24.7 or newer for it that is a version 24']]);

const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md'];
const UNRELEASED = '## Unreleased\n';

/** A mistake of the person who releases. */
class Refused extends Error {}

/** The part of a changelog below a heading of the second level, without the heading. */
export function sectionOf(changelog: string, heading: string): string {
  const [, ...parts] = changelog.split(/^## /m);
  const found = parts.find((part) => part.split('\n', 1)[0]!.split(' ')[0] === heading);
  return found?.slice(found.indexOf('\n') + 1).trim() ?? '';
}

/** The version after `current`, if what has changed is that: 1.0.0 is the first that promises something. */
export function versionAfter(current: string, changes: string): string {
  const [major, minor, patch] = current.split('.').map(Number) as [number, number, number];
  if (major === 0) return '1.0.0';
  if (/^### Removed$/m.test(changes)) return `${major + 1}.0.0`;
  return /^### (Added|Changed)$/m.test(changes) ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Whether one version is later than another. */
export function isLater(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0;
}

/** The changelog once a version is released: what was unreleased is that version's. */
export function changelogOf(changelog: string, version: string, day: string): string {
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n## ${version} - ${day}\n`);
}

const run = (program: string, ...args: string[]): Promise<string> => runProgram(program, args);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const read = (file: string): string => readFileSync(file, 'utf8');

/** Checks that a version can be made of what is here. */
async function checkReady(version: string, current: string, changes: string, isTrial: boolean): Promise<void> {
  const dirty = await run('git', 'status', '--porcelain', `--untracked-files=${isTrial ? 'no' : 'normal'}`);
  if (dirty !== '') throw new Refused(`commit or remove these first:\n${dirty}`);
  if (changes === '') throw new Refused('CHANGELOG.md has nothing below "## Unreleased"');
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Refused(`${version} is no version like 1.1.0`);
  if (!isLater(version, current)) throw new Refused(`${version} is not after ${current}`);
  if ((await run('git', 'tag', '--list', `v${version}`)) !== '') throw new Refused(`the tag v${version} exists`);
}

/** Writes the version into the files that have it, and the repository, which npm compares with where the package is built. */
async function setVersion(version: string, day: string): Promise<void> {
  const hasOrigin = (await run('git', 'remote')).split('\n').includes('origin');
  const remote = hasOrigin ? await run('git', 'remote', 'get-url', 'origin') : '';
  await run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts');
  const url = remote.replace(/^git@([^:]+):/, 'https://$1/');
  if (url.startsWith('https://')) await run('npm', 'pkg', 'set', 'repository.type=git', `repository.url=git+${url}`);
  writeFileSync('CHANGELOG.md', changelogOf(read('CHANGELOG.md'), version, day));
}

/** Makes all files of the version that is set, and returns the name of the package. */
async function makeFiles(version: string, out: string, wanted: readonly string[]): Promise<string> {
  const manifest = JSON.parse(read('package.json'));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  say('the package of the server');
  const made = (await run('npm', 'pack', '--silent', '--pack-destination', out)).split('\n').at(-1)!;
  const tarball = join(out, made);
  say('the package of the client');
  await run('npm', 'run', '--silent', 'client');
  await run('npm', 'pack', './built/client', '--silent', '--pack-destination', out);
  const changed_s = Number(await run('git', 'log', '-1', '--format=%ct'));
  for (const [platform, node] of platformsOf(manifest)) {
    if (wanted.length > 0 && !wanted.includes(platform)) continue;
    say(`the archive for ${platform}`);
    await archiveFor(platform, node, { version, tarball, into: out, changed_s });
  }
  for (const [platform, reason] of WITHOUT) say(`no archive for ${platform}: ${reason}`);
  copyFileSync('dist/program/sbom.cdx.json', join(out, `barker-${version}.sbom.cdx.json`));
  const sums = readdirSync(out).map((file) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(out, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(out, 'notes.md'), `${sectionOf(read('CHANGELOG.md'), version)}\n`);
  for (const file of readdirSync(out)) {
    const { length } = readFileSync(join(out, file));
    say(`${(length / 1e6).toFixed(1).padStart(7)} MB  ${join(out, file)}`);
  }
  return made;
}

async function publish(version: string, out: string, tarball: string): Promise<void> {
  for (const each of [tarball, `barker-ads-client-${version}.tgz`]) await run('npm', 'publish', join(out, each));
  const files = readdirSync(out).filter((file) => file !== 'notes.md');
  const all = files.map((file) => join(out, file));
  await run('gh', 'release', 'create', `v${version}`, '--verify-tag', '--notes-file', join(out, 'notes.md'), ...all);
  say(`published ${version}`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean' },
      publish: { type: 'boolean' },
      platform: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: 'release' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    say(HELP.trimEnd());
    return;
  }
  const { version: current, ...manifest } = JSON.parse(read('package.json'));
  const known = platformsOf(manifest);
  const unknown = values.platform.find((name) => !known.has(name));
  if (unknown !== undefined) throw new Refused(`--platform ${unknown} is none of ${[...known.keys()].join(', ')}`);
  const out = resolve(values.out);
  if (values.publish) {
    const tags = (await run('git', 'tag', '--points-at', 'HEAD')).split('\n');
    if (!tags.includes(`v${current}`)) throw new Refused(`HEAD has no tag v${current}`);
    await publish(current, out, await makeFiles(current, out, values.platform));
    return;
  }
  const changes = sectionOf(read('CHANGELOG.md'), 'Unreleased');
  const version = positionals[0] ?? versionAfter(current, changes);
  await checkReady(version, current, changes, values['dry-run'] ?? false);
  endWithSignals();
  let isTagged = false;
  try {
    await setVersion(version, new Date().toISOString().slice(0, 10));
    await makeFiles(version, out, values.platform);
    if (values['dry-run']) {
      say(`would commit and tag v${version}`);
      return;
    }
    await run('git', 'commit', '-qm', `release: publish ${version}`, ...CHANGED);
    isTagged = true;
    await run('git', 'tag', '-a', `v${version}`, '-F', join(out, 'notes.md'), '--cleanup=verbatim');
    say(`tagged v${version}; to publish it: git push --follow-tags`);
  } finally {
    if (!isTagged) await run('git', 'checkout', '-q', '--', ...CHANGED);
  }
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
