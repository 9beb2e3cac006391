import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operatorConsole } from '../../src/app/operator-console.ts';
import type { Service } from '../../src/app/server.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { addOperatorLink } from '../../src/features/platform/operator-links.ts';
import { loadBranding } from '../../src/http/pages/branding.ts';
import type { Settings } from '../../src/settings.ts';
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

/** The console of another server of the same database, which has nothing in common with the first but that. */
export async function anotherConsole(
  of: Service,
  settings: Partial<Settings> = {},
): Promise<{ readonly url: string; readonly port: number; close(): void }> {
  const service = { ...of, settings: { ...of.settings, ...settings } };
  const branding = await loadBranding(service.settings);
  const server = createServer(operatorConsole(service, branding, (_, response) => void response.writeHead(404).end()));
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, close: () => void server.close() };
}

/** Sends the form of a page of the console that has these members. */
export async function actInConsole(browser: Browser, path: string, members: Record<string, string>): Promise<Seen> {
  const { html } = await browser.get(path);
  const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
  return browser.post(path, { authenticity_token, ...members });
}

/** The browser of an operator who has signed in to the console, at the given address or that of the service. */
export async function signInToConsole(service: Service, name: string, url = service.operationsUrl): Promise<Browser> {
  const browser = browserOf(url);
  const { status, location } = await openOperatorLink(browser, await operatorToken(service, name));
  assert.deepEqual([status, location], [303, '/operator']);
  return browser;
}
