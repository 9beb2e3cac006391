import assert from 'node:assert/strict';
import type { Service } from '../../src/app/server.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { addOperatorLink } from '../../src/features/platform/operator-links.ts';
import { type Browser, browserOf, type Seen } from './browser.ts';

/** The secret of a new link that signs somebody in to the operator console. */
export function operatorToken({ store, random, wallClock }: Service, name: string): Promise<string> {
  const wallNow = formatInstant(wallClock.now());
  return store.write((tx) => addOperatorLink(tx, name, { random, wallNow }));
}

/** Opens the link of an operator and presses its button. */
export async function openOperatorLink(browser: Browser, token: string): Promise<Seen> {
  return browser.submit(await browser.get(`/operator/sign-in?token=${token}`));
}

/** The browser of an operator who has signed in to the console. */
export async function signInToConsole(service: Service, name: string): Promise<Browser> {
  const browser = browserOf(service.operationsUrl);
  const { status, location } = await openOperatorLink(browser, await operatorToken(service, name));
  assert.deepEqual([status, location], [303, '/operator']);
  return browser;
}
