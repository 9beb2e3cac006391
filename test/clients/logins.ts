import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { type Seen, typed } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';
import { runRecipe } from './recipes.ts';
import { type Wanderer, wanderer } from './wanderer.ts';

/** How the program of a library is used. */
export interface Library {
  /** Of its section in the page about clients. */
  readonly title: string;
  /** It is a web application, so it takes a port, and browsers come back to it. */
  readonly isServer?: boolean;
  /** What of Debian it needs. */
  readonly packages?: readonly string[];
}

/** What a user does on the pages, and what comes of it. */
interface Visit {
  readonly way: 'callback' | 'PIN';
  readonly level?: 'read';
  /** With what the names of their keys begin. */
  readonly who: '' | 'other_';
  readonly isRefused?: boolean;
}

const VISITS: Readonly<Record<'http' | 'https', readonly Visit[]>> = {
  http: [
    { way: 'callback', who: '' },
    { way: 'callback', who: 'other_', level: 'read' },
    { way: 'callback', who: '', isRefused: true },
    { way: 'PIN', who: 'other_' },
  ],
  https: [
    { way: 'callback', who: 'other_' },
    { way: 'PIN', who: '' },
  ],
};

/**
 * The story of a library that logs users in, over http and over https: with a callback, with a PIN, for reading only,
 * and refused.
 */
export function tellLogins(library: Library): void {
  for (const scheme of ['http', 'https'] as const) {
    describe(`over ${scheme}, a login with ${library.title}`, { concurrency: 2 }, () => {
      let world: World;
      before(async () => {
        needPackages(...(library.packages ?? []));
        // Clients take the time from the machine.
        world = await openWorld({ flags: { tls: scheme === 'https' }, seams: { clock: systemClock } });
      });
      after(() => world?.close());

      for (const visit of VISITS[scheme]) {
        if (library.isServer && visit.way === 'PIN') continue;
        test(nameOf(visit), () => logIn(world, library, visit));
      }
      if (scheme === 'https') test('trusts nobody unasked', () => failWithoutTrust(world, library));
    });
  }
}

function nameOf({ way, level, isRefused }: Visit): string {
  return `${way}${level ? `, ${level} only` : ''}${isRefused ? ', refused' : ''}`;
}

async function logIn(world: World, library: Library, visit: Visit): Promise<void> {
  const application = library.isServer ? undefined : await listen();
  const where = application?.callback ?? '0';
  const args = [visit.way === 'PIN' ? 'oob' : where, ...(visit.level ? [visit.level] : [])];
  const program = runRecipe(world, library.title, args);
  try {
    const [, address] = /^Open (http\S+)$/.exec(await program.line()) ?? assert.fail('no address to open');
    const browser = wanderer();
    const sent = await answer(browser, address!, world, visit);
    if (visit.way === 'PIN') {
      program.type(pinOf(sent));
    } else {
      await browser.open(sent.location!);
      if (application) program.type(application.received());
    }
    const said = await program.line();
    if (visit.isRefused) assert.equal(said, 'The user refused');
    else await assertAccess(world, said, visit);
    assert.equal(await program.ended, 0);
  } finally {
    await program.close();
    await application?.close();
  }
}

/** A program that was not told to trust the authority gets no request token. */
async function failWithoutTrust(world: World, { title, isServer }: Library): Promise<void> {
  const program = runRecipe(world, title, isServer ? ['0'] : [], { trusts: false });
  try {
    const heard = async (): Promise<string> => {
      const said = await program.line();
      if (!isServer) return said;
      // A web application asks for the token when it is visited.
      await wanderer().open(said.replace('Open ', ''));
      return program.line();
    };
    assert.match(await heard().catch(String), UNTRUSTED);
  } finally {
    await program.close();
  }
}

/** What languages say of a certificate that nobody vouches for. */
const UNTRUSTED =
  /^(?!Open ).*(certificate verify failed|unable to verify|UNABLE_TO_VERIFY|CERTIFICATE_VERIFY_FAILED)/s;

/** Opens the address that the program names and answers on the page to which it leads. */
async function answer(browser: Wanderer, address: string, world: World, { who, isRefused }: Visit): Promise<Seen> {
  const { origin, page } = await browser.open(address);
  assert.equal(origin, world.service.url, page.html);
  const person = { name: world.keys[`${who}username`]!, password: world.keys[`${who}password`]! };
  return browser.at(origin).submit(page, isRefused ? { cancel: 'Cancel' } : typed(person));
}

function pinOf({ html }: Seen): string {
  const [, pin] = /<div id="oauth_pin">.*?<code>(\d{7})</.exec(html) ?? assert.fail(html);
  return pin!;
}

/** What the program says names the right user, and a token of the level that was asked for. */
async function assertAccess(world: World, said: string, { who, level }: Visit): Promise<void> {
  const [, name, value] = /^(\S+) gave access: (\S+)$/.exec(said) ?? assert.fail(said);
  assert.equal(name, world.keys[`${who}username`]);
  const token = await world.service.store.read((tx) => tx.credentials.findToken(value!));
  assert.deepEqual([token?.user_id, token?.access_level], [world.keys[`${who}user_id`], level ?? 'read-write']);
}

/** An application that browsers come back to, for programs that do not listen themselves. */
async function listen() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(request.url!);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    callback: `${origin}/callback`,
    /** The one address at which a browser came back. */
    received() {
      assert.equal(received.length, 1);
      return origin + received[0];
    },
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
