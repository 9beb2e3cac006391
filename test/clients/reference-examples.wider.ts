// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type WorkedExample, workedExamples } from '../../src/http/reference/worked-examples.ts';
import { bearerClient } from '../rig/events.ts';
import { approve } from '../rig/login.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';

/** What a pasted example printed: the status and the body of its reply. */
interface Printed {
  readonly status: number;
  readonly body: string;
}

const LANGUAGES = ['shell', 'node', 'python'] as const;
type Language = (typeof LANGUAGES)[number];

/** Examples of these make what there can be one of, or end what others use: never two at a time. */
const ALONE = /^(oauth|oauth2|subscriptions|webhooks|account_activity)\./;

/** Examples of these are about jobs that have not ended: time stands still, however long the paste takes. */
const UNENDED = /^stats_jobs\./;

/** curl says the status on stderr, so that its output stays what readers see. */
const CURL = `curl() { command curl --silent --show-error --write-out '%{stderr}%{http_code}' "$@"; }\n`;

let world: World;
/** The folder in which examples are pasted: that of `npm start`. */
let folder: string;
let receiver: ReturnType<typeof spawn>;

before(async () => {
  needPackages('python3-requests-oauthlib');
  world = await openWorld({ seams: { clock: systemClock }, flags: { rate_limits: 'off' } });
  folder = mkdtempSync(join(tmpdir(), 'barker-pasted-'));
  symlinkSync(world.place.folder, join(folder, 'data'));
  // The real one would look for the program in a registry.
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift 2\nexec node '${resolve('bin/barker.js')}' "$@"\n`);
  chmodSync(join(folder, 'npx'), 0o755);
  for (const name of ['client.mjs', 'receiver.mjs']) {
    writeFileSync(join(folder, name), await (await fetch(`${world.service.sandboxUrl}/reference/${name}`)).text());
  }
  receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(receiver.stdout!, 'data');
});
after(async () => {
  receiver?.kill();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('an example of the reference works as it is printed', () => {
  for (const { id } of operations) {
    test(id, async () => {
      const page = await (await fetch(`${world.service.sandboxUrl}/reference/${id}`)).text();
      const example = workedExamples().examples[id]!;
      const isShown = example.status !== 204 && String(example.reply).trim() !== '';
      const { url, sandboxUrl } = world.service;
      const own = JSON.stringify(example.reply)
        ?.replaceAll('http://127.0.0.1:8080', url)
        .replaceAll('http://127.0.0.1:8081', sandboxUrl);
      assert.deepEqual(printedReply(page), isShown ? JSON.parse(String(own)) : undefined);
      const paste = async (language: Language): Promise<void> => {
        const { status, body } = await pasted(language, snippetOf(page, language));
        assert.equal(status, example.status, `${language}: ${body}`);
        assertAlike(example, body, language);
      };
      if (UNENDED.test(id)) await setClock('frozen');
      if (!ALONE.test(id)) await Promise.all(LANGUAGES.map(paste));
      else for (const language of LANGUAGES) await paste(language);
      if (UNENDED.test(id)) await setClock('running');
      await removeWebhooks();
    });
  }
});

test('there is an example of every operation', () => {
  assert.deepEqual(
    Object.keys(workedExamples().examples),
    operations.map(({ id }) => id),
  );
});

async function setClock(mode: 'frozen' | 'running'): Promise<void> {
  const reply = await fetch(`${world.service.url}/_dev/clock`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode }),
  });
  assert.equal(reply.status, 200, await reply.text());
}

/** Removes what examples of webhooks left: an application can have few. */
async function removeWebhooks(): Promise<void> {
  const client = await bearerClient(world, world.keys);
  for (const { id } of (await client.call('GET', '/2/webhooks')).body.data) {
    await client.call('DELETE', `/2/webhooks/${id}`);
  }
}

/** The text of an element as a browser copies it. */
function textOf(page: string, mark: RegExp): string {
  const found = page.match(new RegExp(`<code ${mark.source}>([^<]*)</code>`));
  assert.ok(found, `no ${mark.source}`);
  const letters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return found[1]!
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => letters[name]!);
}

function snippetOf(page: string, language: Language): string {
  return textOf(page, new RegExp(`data-language="${language}"`));
}

function printedReply(page: string): unknown {
  if (!page.includes('<code data-reply=')) return undefined;
  const text = textOf(page, /data-reply="\d+"/);
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
}

/** Runs a snippet in the folder. */
async function pasted(language: Language, snippet: string): Promise<Printed> {
  const [program, ...args] = {
    shell: ['sh', '-c', CURL + snippet],
    node: [process.execPath, '--input-type=module', '--eval', snippet],
    python: ['/usr/bin/python3', '-c', snippet],
  }[language] as [string, ...string[]];
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: [folder, dirname(process.execPath), PATH].join(delimiter),
      HOME,
      ...(world.place.databaseUrl === '' ? {} : { BARKER_DATABASE_URL: world.place.databaseUrl }),
    },
  });
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdout.on('data', (chunk) => {
    out += chunk;
    const asked = out.match(/oauth_token=([\w-]+) .*PIN/)?.[1];
    if (asked === undefined) return;
    out = '';
    // As a person does who opens the page.
    void approve(world, asked, world.keys.user_id!).then((pin) => child.stdin.end(`${pin}\n`));
  });
  const [code] = await once(child, 'close');
  const wrong = `${language} ended with ${code}: ${err}\n${out}\n${snippet}`;
  assert.equal(code, 0, wrong);
  if (language === 'shell') {
    assert.match(err, /\d{3}$/, wrong);
    return { status: Number(err.slice(-3)), body: out };
  }
  const [, status, body] = out.match(/(\d{3}) ?(.*)\n$/s) ?? [];
  assert.ok(status, wrong);
  return { status: Number(status), body: body! };
}

/** Holds what came against what is printed: same members, same kinds of values, same words. */
function assertAlike({ status, reply }: WorkedExample, body: string, language: string): void {
  const names = (text: string): string[] => [...new URLSearchParams(text.trim()).keys()];
  if (status === 204) assert.equal(body.trim(), '');
  else if (typeof reply !== 'string') alike(reply, JSON.parse(body), language);
  // The other texts are pairs; a stream in which nothing happened is empty lines.
  else assert.deepEqual(names(body), names(reply), language);
}

/** What work in the background changes soon after a call. */
const PASSING = /\.reasons_not_(targetable|servable)$/;

function alike(printed: unknown, came: unknown, path: string): void {
  if (printed === null || came === null || PASSING.test(path)) return;
  if (Array.isArray(printed)) {
    assert.ok(Array.isArray(came), path);
    if (printed.length > 0) assert.ok(came.length > 0, `${path}: nothing came`);
    for (const [index, each] of printed.slice(0, came.length).entries()) alike(each, came[index], `${path}[${index}]`);
  } else if (typeof printed === 'object') {
    assert.equal(typeof came, 'object', path);
    const other = came as Record<string, unknown>;
    assert.deepEqual(Object.keys(other).sort(), Object.keys(printed).sort(), path);
    for (const [name, each] of Object.entries(printed)) alike(each, other[name], `${path}.${name}`);
  } else {
    assert.equal(typeof came, typeof printed, path);
    const isWord = typeof printed === 'boolean' || /^[A-Z]+(_[A-Z]+)*$/.test(String(printed));
    if (isWord) assert.equal(came, printed, path);
  }
}
