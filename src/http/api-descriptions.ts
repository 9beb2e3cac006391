import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Operation } from '../contract/declare/operation.ts';
import { type DescribedService, groupsOf, openApiOf } from '../engine/describe.ts';
import { STYLES } from './reference/document.ts';
import { groupPage } from './reference/group-page.ts';
import { operationPage } from './reference/operation-page.ts';
import { groupPath, operationPath } from './reference/operation-section.ts';
import { referencePage, searchPage } from './reference/reference-page.ts';
import { SEARCH_MAX } from './reference/search.ts';
import { recordedReply } from './reference/worked-examples.ts';
import { etagOf, type Routes, type WholeReply } from './routes.ts';

/** Lets a page load its own styles and send searches to itself, and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HTML = 'text/html; charset=utf-8';

/** Files that examples need. */
const PROGRAMS = ['snippets/client.mjs', 'snippets/receiver.mjs'];

/**
 * Adds the public descriptions of the API to a listener: `/openapi.json`, the reference at `/reference`, and below it a page
 * for each group and operation. Pages of operations and searches are rendered per request, the others once both base URLs
 * are known.
 * @source decision 12, 900, 1245
 */
export function addApiDescriptions(
  routes: Routes,
  name: string,
  operations: readonly Operation[],
  surroundings: () => DescribedService,
): void {
  const pages: Readonly<Record<string, readonly [type: string, make: () => string]>> = {
    '/openapi.json': ['application/json; charset=utf-8', () => openApiText(operations, surroundings())],
    '/reference': [HTML, () => referencePage(name, operations, surroundings()).render()],
    ...Object.fromEntries(
      groupsOf(operations).map((group) => [
        groupPath(group.name),
        [HTML, () => groupPage(name, group, operations, surroundings()).render()],
      ]),
    ),
    ...Object.fromEntries(
      STYLES.map((name) => [`/reference/${name}`, ['text/css; charset=utf-8', () => readReferenceFile(name)]]),
    ),
    ...Object.fromEntries(
      PROGRAMS.map((file) => [
        `/reference/${basename(file)}`,
        ['text/javascript; charset=utf-8', () => readReferenceFile(file)],
      ]),
    ),
  };
  for (const [path, [type, make]] of Object.entries(pages)) {
    let made: WholeReply | undefined;
    routes.get(path, ({ url }) => {
      const search = path === '/reference' ? searchIn(url!) : '';
      if (search !== '') return served(searchPage(name, operations, search).render(), HTML);
      const now = made ?? served(make(), type);
      const { servers } = surroundings();
      if (servers.production !== '' && servers.sandbox !== '') made = now;
      return now;
    });
  }
  const byPath = new Map(operations.map((operation) => [operationPath(operation.id), operation]));
  routes.get('/reference/:operation', ({ url }) => {
    const operation = byPath.get(url!.replace(/\?.*/, ''));
    return operation && served(operationPage(name, operation, operations, surroundings()).render(), HTML);
  });
}

function searchIn(url: string): string {
  const [, query = ''] = url.split('?', 2);
  return (new URLSearchParams(query).get('q') ?? '').trim().slice(0, SEARCH_MAX);
}

function openApiText(operations: readonly Operation[], service: DescribedService): string {
  return JSON.stringify(openApiOf(operations, { ...service, replyOf: recordedReply }));
}

/** Builds a reply whose bytes all connections share; a string would be copied for each. */
function served(text: string, type: string): WholeReply {
  const body = Buffer.from(text);
  const headers = {
    'content-type': type,
    'cache-control': 'no-cache',
    etag: etagOf(body),
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  };
  return { headers, body };
}

function readReferenceFile(name: string): string {
  return readFileSync(new URL(`./reference/${name}`, import.meta.url), 'utf8');
}
