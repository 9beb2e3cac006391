import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { html } from '../base/html.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { RateSetting } from '../contract/declare/rates.ts';
import { etagOf, type Routes, type WholeReply } from './routes.ts';

/** The output of `npm run build`: pages in which `⟦name⟧` stands for a value of this server. @source decision 1231 */
const FOLDER = new URL('../../built/site/', import.meta.url);

/** Pages run the scripts of the site alone, which write text and never HTML. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The files with values of the server. */
const FILLED = /\.(?:html|md|txt)$|^openapi\.json$/;

/** The values of placeholders, by name; the names of keys stand for those that are missing. */
export type SiteValues = Readonly<Record<string, string | undefined>>;

/** The addresses of a service, empty until it listens, and its rate limits. */
export interface DescribedService {
  readonly servers: Readonly<Record<Environment, string>>;
  readonly limits: Readonly<Record<RateSetting, number>>;
}

/** Where guides look for a development server: unless one shows them, at the default ports. */
const LOCAL = { local: 'http://127.0.0.1:8080', localSandbox: 'http://127.0.0.1:8081' };

/** The values that a service has. */
export function valuesOf(name: string, { servers, limits }: DescribedService): SiteValues {
  const shown = Object.entries(limits).map(([setting, limit]) => [setting, limit.toLocaleString('en')]);
  return { name, ...servers, ...LOCAL, ...Object.fromEntries(shown) };
}

/** A file of the site with values: `⟦name⟧` is a value, and `⟦name:text⟧` a text that stands only where there is one. */
export function filledIn(file: string, text: string, values: SiteValues): string {
  if (!FILLED.test(file)) return text;
  const written = (value: string): string => (file.endsWith('.html') ? html`${value}`.render() : value);
  return text.replace(/⟦(\w+)(?::([^⟧]*))?⟧/g, (_, name: string, kept?: string) =>
    kept === undefined ? written(values[name] ?? name.toUpperCase()) : values[name] ? kept : '',
  );
}

/** The contents of `dev.json`, for those who may see it; undefined where there is none. */
type KeysOf = (request: IncomingMessage) => SiteValues | undefined;

/**
 * Adds the documentation below `/docs`, and `/openapi.json`. Its former paths below `/reference` lead there; the programs among them are served
 * there too. Files are read when they are asked for, and shared by all connections that receive them.
 * @source decision 1231
 */
export function addDocumentation(
  routes: Routes,
  name: string,
  surroundings: () => DescribedService,
  keysOf: KeysOf | undefined,
): void {
  const shared = new Map<string, WeakRef<WholeReply>>();
  const replyWith = (file: string, request: IncomingMessage): WholeReply | undefined => {
    const keys = keysOf?.(request);
    const isPacked = !FILLED.test(file) && /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const kept = keys ? undefined : shared.get(`${file} ${isPacked}`)?.deref();
    if (kept) return kept;
    const service = surroundings();
    const { production, sandbox } = service.servers;
    const own = keys && { ...keys, dev: 'yes', local: production, localSandbox: sandbox };
    const values = { ...valuesOf(name, service), ...OF_SERVERS, ...own };
    const reply = replyOf(file, isPacked, keys ? 'no-store' : 'no-cache', (text) => filledIn(file, text, values));
    const areKnown = service.servers.production !== '' && service.servers.sandbox !== '';
    if (reply && areKnown && !keys) shared.set(`${file} ${isPacked}`, new WeakRef(reply));
    return reply;
  };
  const answer = (request: IncomingMessage): WholeReply | undefined => {
    const path = pathOf(request);
    if (path === '/docs') return movedTo('/docs/');
    if (path === '/docs/openapi.json') return movedTo('/openapi.json');
    if (path !== '/docs/' && path.endsWith('/')) return movedTo(path.slice(0, -1));
    return replyWith(fileOf(path.slice('/docs/'.length)), request);
  };
  const former = (request: IncomingMessage): WholeReply | undefined => {
    const path = pathOf(request).replace(/\/$/, '');
    const query = new URL(request.url!, 'http://localhost').search;
    if (path === '/reference') return movedTo(query === '' ? '/docs/reference' : `/docs/search${query}`);
    const reply = replyWith(fileOf(path.slice(1)), request);
    return reply && !path.endsWith('.mjs') ? movedTo(`/docs${path}`) : reply;
  };
  for (const path of ['/docs', '/docs/*']) routes.get(path, answer);
  routes.get('/llms.txt', () => movedTo('/docs/llms.txt'));
  addApiDescription(routes, surroundings);
  for (const path of ['/reference', '/reference/*']) routes.get(path, former);
}

/** Adds the description of the API for programs. @source decision 12 */
function addApiDescription(routes: Routes, surroundings: () => DescribedService): void {
  let known: WholeReply | undefined;
  routes.get('/openapi.json', () => {
    if (known) return known;
    const { servers, limits } = surroundings();
    const values: Readonly<Record<string, unknown>> = { ...servers, ...limits };
    const fill = (text: string) => text.replace(/"⟦(\w+)⟧"/g, (_, name: string) => JSON.stringify(values[name]));
    const reply = replyOf('openapi.json', false, 'no-cache', fill);
    if (servers.production !== '' && servers.sandbox !== '') known = reply;
    return reply;
  });
}

/** The values of all servers: their paths have no extension, and they have other pages to link to. */
const OF_SERVERS = { html: '', index: '', server: 'yes', openapi: '/openapi.json' };

const pathOf = ({ url }: IncomingMessage): string => url!.split('?', 1)[0]!;

const movedTo = (location: string): WholeReply => ({ status: 301, headers: { location }, body: '' });

/** The file of a path; one that does not exist for a path that names none. */
function fileOf(path: string): string {
  if (path === '') return 'index.html';
  return TYPES[extname(path)] === undefined ? `${path}.html` : path;
}

const SAFE = /^[\w-]+(?:[./][\w-]+)*$/;

function replyOf(
  file: string,
  isPacked: boolean,
  cached: string,
  fill: (text: string) => string,
): WholeReply | undefined {
  const read = SAFE.test(file) ? readOf(isPacked ? `${file}.br` : file) : undefined;
  if (!read) return undefined;
  const body = FILLED.test(file) ? Buffer.from(fill(read.toString())) : read;
  const headers = {
    'content-type': TYPES[extname(file)]!,
    'cache-control': cached,
    etag: etagOf(body),
    vary: 'accept-encoding',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
    ...(isPacked && { 'content-encoding': 'br' }),
  };
  return { headers, body };
}

function readOf(file: string): Buffer | undefined {
  try {
    return readFileSync(new URL(file, FOLDER));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
