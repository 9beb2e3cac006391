import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { formatInstant } from '../../src/base/instants.ts';
import type { AccessLevel, Application } from '../../src/contract/store/credentials.ts';
import type { RequestToken } from '../../src/contract/store/grants.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import { recordSecret, recordSecretsOfReply } from './secrets.ts';
import type { World } from './world.ts';

/** What a browser got. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly location: string | null;
}

/** A browser without scripts: it keeps cookies, reads forms and sends them; it does not follow redirects by itself. */
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Seen>;
  /** Sends a form of a page, its last if nothing else is said, with what was filled in. */
  submit(page: Seen, filled?: Record<string, string>, options?: Submission): Promise<Seen>;
  post(path: string, members: Record<string, string>, headers?: Record<string, string>): Promise<Seen>;
}

/** What is unusual about how a form is sent. */
interface Submission {
  readonly headers?: Record<string, string>;
  /** Members that are left out. */
  readonly without?: readonly string[];
  /** Where the form leads that is meant. */
  readonly to?: string;
}

/** A browser that knows one origin. */
export function browserOf(origin: string): Browser {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit, headers: Record<string, string>): Promise<Seen> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = { accept: 'text/html', ...(cookie && { cookie }), ...headers };
    const response = await fetch(origin + path, { redirect: 'manual', ...init, headers: all });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (/max-age=0/i.test(set)) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const { status, headers: got } = response;
    const html = await response.text();
    // Services of other processes are not watched.
    recordSecretsOfReply(path, got, html);
    return { status, headers: got, html, location: got.get('location') };
  };
  const browser: Browser = {
    cookies,
    get: (path, headers = {}) => send(path, {}, headers),
    post(path, members, headers = {}) {
      recordSecret('password typed', members['session[password]']);
      return send(path, { method: 'POST', body: new URLSearchParams(members) }, headers);
    },
    submit(page, filled = {}, { headers = {}, without = [], to } = {}) {
      const form = formOf(page.html, to);
      const members = { ...form.members, ...filled };
      for (const name of without) delete members[name];
      return browser.post(form.action, members, headers);
    },
  };
  return browser;
}

/** A form of a page. */
export interface PageForm {
  readonly method: string | undefined;
  readonly action: string | undefined;
  /** What a browser would send; of choices, the first that means something. */
  readonly members: Record<string, string>;
  /** The members that nobody can change. */
  readonly hidden: ReadonlySet<string>;
}

/** All forms of a page, in order, each with the button that Enter presses. */
export function formsOf(html: string): PageForm[] {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, attributes, content]) => {
    const { members, hidden } = fieldsIn(content!);
    for (const [, opening, options] of content!.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)) {
      const tags = [...options!.matchAll(/<option[^>]*>/g)].map(([tag]) => tag);
      const meant = tags.filter((tag) => attributeOf(tag, 'value'));
      const chosen = meant.find((tag) => /\sselected\b/.test(tag)) ?? meant[0];
      members[attributeOf(opening!, 'name')!] = (chosen && attributeOf(chosen, 'value')) ?? '';
    }
    const button = /<button[^>]*\sname="[^>]*>/.exec(content!)?.[0];
    if (button) members[attributeOf(button, 'name')!] = attributeOf(button, 'value') ?? '';
    return { method: attributeOf(attributes!, 'method'), action: attributeOf(attributes!, 'action'), members, hidden };
  });
}

/** A form of a page, the last or the one that leads somewhere: where it goes, and what a browser would send. */
export function formOf(
  html: string,
  to?: string,
): { readonly action: string; readonly members: Record<string, string> } {
  const forms = [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)];
  const isMeant = ([, attributes]: RegExpExecArray): boolean =>
    to === undefined || attributeOf(attributes!, 'action') === to;
  const [, attributes, content] = forms.findLast(isMeant) ?? assert.fail(`no form in ${html}`);
  return { action: attributeOf(attributes!, 'action')!, members: fieldsIn(content!).members };
}

function fieldsIn(content: string): Pick<PageForm, 'members' | 'hidden'> {
  const members: Record<string, string> = {};
  const hidden = new Set<string>();
  for (const [tag] of content.matchAll(/<input[^>]*>/g)) {
    const name = attributeOf(tag, 'name');
    const isOff = /\stype="(checkbox|radio)"/.test(tag) && !/\schecked\b/.test(tag);
    if (name && !isOff) members[name] = attributeOf(tag, 'value') ?? '';
    if (name && /\stype="hidden"/.test(tag)) hidden.add(name);
  }
  for (const [, opening, text] of content.matchAll(/<textarea([^>]*)>([^<]*)</g)) {
    members[attributeOf(opening!, 'name')!] = unescaped(text!);
  }
  return { members, hidden };
}

/** The value of an attribute, unescaped. */
function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
}

/** Where the link leads whose address or text has this in it. */
export function linkOf(html: string, part: string): string | undefined {
  const links = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)</g)];
  const found = links.map(([, href, text]) => ({ href: unescaped(href!), text: unescaped(text!) }));
  return found.find(({ href, text }) => href.includes(part) || text.includes(part))?.href;
}

/** Text as it stood before it was escaped for a page. */
export function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&');
}

/** The texts of the headings and the buttons of a page, without its frame. */
export function outlineOf(html: string): { readonly heading: string; readonly buttons: string[] } {
  const [, heading = ''] = /<h1[^>]*>([^<]*)<\/h1>/.exec(html) ?? [];
  const main = html.slice(html.indexOf('<main'));
  return { heading, buttons: [...main.matchAll(/<button[^>]*>([^<]*)</g)].map(([, text]) => text!) };
}

/** Registers an application owned by the first user. */
export async function addApplication(world: World, told: Partial<Application> = {}): Promise<Application> {
  const { store, box, clock } = world.service;
  return store.write(async (tx) => {
    const id = String(await tx.takeNumbers('application', 1, 1));
    const application: Application = {
      id,
      owner_user_id: world.keys.user_id!,
      name: `Reports ${id}`,
      access_level: 'read-write',
      consumer_key: randomBytes(12).toString('hex'),
      consumer_secret: box.seal(`secret of ${id}`, secretContext.application(id)),
      callbacks: JSON.stringify(['https://client.test/back?next=%2Fhome']),
      sign_in: 0,
      suspended: 0,
      demo: 0,
      description: '',
      website_url: '',
      terms_url: '',
      privacy_url: '',
      organization_name: '',
      organization_url: '',
      native: 0,
      extra_query: 0,
      email_access: 0,
      created_at: formatInstant(clock.now()),
      ...told,
    };
    await tx.credentials.addApplication(application);
    recordSecret('consumer secret', `secret of ${id}`);
    return application;
  });
}

/** A request token of an application, as a call of it would have made. */
export async function addRequestToken(
  world: World,
  application: Application,
  told: { readonly callback?: string; readonly level?: AccessLevel } = {},
): Promise<string> {
  const { store, box, clock } = world.service;
  const token = randomBytes(13).toString('hex');
  const id = `t${token}`;
  const requestToken: RequestToken = {
    id,
    token,
    token_secret: box.seal('secret', secretContext.requestToken(id)),
    application_id: application.id,
    callback: told.callback ?? (JSON.parse(application.callbacks) as string[])[0]!,
    access_level: told.level ?? application.access_level,
    state: 'issued',
    user_id: null,
    verifier_hash: null,
    attempts: 0,
    force_login: 0,
    address: '127.0.0.1',
    created_at: formatInstant(clock.now()),
    expires_at: formatInstant(clock.now() + 900_000),
    made_token_id: null,
  };
  recordSecret('token', token);
  await store.write((tx) => tx.requestTokens.add(requestToken));
  return token;
}

/** A user who can log in. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly password: string;
}

/** Registers a user with a password. */
export async function addPerson(
  world: World,
  told: { readonly isSuspended?: boolean; readonly isLocked?: boolean } = {},
): Promise<Person> {
  const { store, clock, hashPassword } = world.service;
  const password = `password ${randomBytes(8).toString('hex')}`;
  recordSecret('password', password);
  const password_hash = await hashPassword(password);
  return store.write(async (tx) => {
    const id = String(await tx.takeNumbers('user', 900_000_001, 1));
    const name = `Some_${id}`;
    await tx.credentials.addUser({
      id,
      screen_name: name,
      name: `Person ${id}`,
      password_hash,
      suspended: told.isSuspended ? 1 : 0,
      email: null,
      locked: told.isLocked ? 1 : 0,
      created_at: formatInstant(clock.now()),
    });
    return { id, name, password };
  });
}

/** What a person types into the boxes. */
export function typed(person: Pick<Person, 'name' | 'password'>): Record<string, string> {
  return { 'session[username_or_email]': person.name, 'session[password]': person.password };
}

/** Logs a person in on the login page. */
export async function logIn(browser: Browser, person: Person): Promise<void> {
  const page = await browser.get('/login');
  const seen = await browser.submit(page, typed(person));
  assert.equal(seen.status, 303, seen.html);
}
