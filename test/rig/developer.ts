import assert from 'node:assert/strict';
import { type Browser, type Seen, unescaped } from './browser.ts';

/** Where the pages of applications begin. */
export const APPS = '/developer/apps';

let count = 0;

/** What a person fills in to register an application; each has another name. */
export function filled(told: Record<string, string> = {}): Record<string, string> {
  count += 1;
  return {
    name: `Application no. ${count}`,
    website_url: 'https://reports.example/',
    callbacks: 'https://reports.example/back\r\nhttp://127.0.0.1/back',
    access_level: 'read-write',
    ...told,
  };
}

/** What stands behind a term on a page that lists some. */
export function shownAs(html: string, term: string): string {
  const [, value] = new RegExp(`<dt>${term}</dt><dd><code>([^<]*)</code>`).exec(html) ?? assert.fail(`no ${term}`);
  return unescaped(value!);
}

/** What is wrong with a form, as the page says above it: the box, and what is wrong. */
export function faultsOf(html: string): string[] {
  return [...html.matchAll(/<li><a href="#(\w+)">([^<]*)</g)].map(([, box, says]) => `${box}: ${unescaped(says!)}`);
}

/** An application that was registered, and its page. */
export interface AppliedChange {
  readonly path: string;
  readonly id: string;
  readonly consumer_key: string;
  readonly consumer_secret: string;
}

/** Registers an application as a person would. */
export async function make(browser: Browser, told: Record<string, string> = {}): Promise<AppliedChange> {
  const seen = await browser.submit(await browser.get(`${APPS}/new`), filled(told));
  assert.equal(seen.status, 200, seen.html);
  const [, path, id] = /href="(\/developer\/apps\/(\d+))"/.exec(seen.html)!;
  return { path: path!, id: id!, ...keysOn(seen) };
}

/** The keys that a page tells. */
export function keysOn({ html }: Seen): Pick<AppliedChange, 'consumer_key' | 'consumer_secret'> {
  return { consumer_key: shownAs(html, 'Consumer key'), consumer_secret: shownAs(html, 'Consumer secret') };
}

/** Answers the question that a page asks. */
export async function confirm(browser: Browser, path: string): Promise<Seen> {
  return browser.submit(await browser.get(path), {}, { to: path });
}

/** Makes an access token of the owner. */
export async function ownToken(
  browser: Browser,
  { path }: AppliedChange,
): Promise<{ access_token: string; access_token_secret: string }> {
  const { html } = await confirm(browser, `${path}/own_token`);
  return {
    access_token: shownAs(html, 'Access token'),
    access_token_secret: shownAs(html, 'Access token secret'),
  };
}
