import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Person } from './browser.ts';
import { type Chromium, startChromium, type Tab } from './chromium.ts';
import { until } from './patience.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

/** A world and a browser for all tests of a file. */
export interface WorldInChromium {
  readonly world: World;
  /** A tab at a page of its service. */
  at(path: string): Promise<Tab>;
}

/** Opens both before the tests of a file, and closes them after the last. */
export function worldInChromium(options?: WorldOptions): WorldInChromium {
  let world: World | undefined;
  let chromium: Chromium | undefined;
  before(async () => {
    world = await openWorld(options);
    chromium = await startChromium();
  });
  after(async () => {
    await chromium?.close();
    await world?.close();
  });
  return {
    get world() {
      return world!;
    },
    at: (path) => openAt(chromium!, world!, path),
  };
}

/** What a page shows as text, without its header and footer. */
export const textOf = (tab: Tab): Promise<string> => tab.look('document.querySelector("main").innerText');

/** Resolves when a page shows a text; rejects after a minute, with what it shows. */
export async function says(tab: Tab, text: RegExp): Promise<void> {
  let said = '';
  const isSaid = async (): Promise<boolean> => {
    said = await textOf(tab);
    return text.test(said);
  };
  await until(`the page says ${text}`, isSaid).catch(() => assert.match(said, text));
}

/** An expression that fills in a box of a page. */
export const fill = (id: string, value: string): string =>
  `document.getElementById('${id}').value = ${JSON.stringify(value)};`;

/** Fills in the last form of a page and presses its first button. */
export const send = (tab: Tab, filling = ''): Promise<void> =>
  tab.leave(`${filling} [...document.forms].at(-1).querySelector('button').click()`);

/** What a person types to log in. */
export const credentialsOf = ({ name, password }: Person): string =>
  fill('username_or_email', name) + fill('password', password);

/**
 * The id of the element that has the focus; '' if nothing has it after ten seconds. A browser gives it to an element
 * with `autofocus` when it next draws the page, which may be after the page is loaded.
 */
export const focusedId = (tab: Tab): Promise<string> =>
  tab.look(`(async () => {
    for (let tries = 0; document.activeElement === document.body && tries < 500; tries++) {
      await new Promise((done) => setTimeout(done, 20));
    }
    return document.activeElement.id;
  })()`);

/** A tab at a page of a service. */
export async function openAt(chromium: Chromium, world: World, path: string): Promise<Tab> {
  const tab = await chromium.tab();
  await tab.open(world.service.url + path);
  return tab;
}

/** A tab at a page of a service, as somebody who is logged in sees it. */
export async function openInside(chromium: Chromium, world: World, path: string, person: Person): Promise<Tab> {
  const tab = await openAt(chromium, world, '/login');
  await send(tab, credentialsOf(person));
  await tab.open(world.service.url + path);
  return tab;
}
