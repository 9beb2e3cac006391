import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Operation } from '../contract/declare/operation.ts';
import { type DescribedService, openApiOf } from '../engine/describe.ts';
import { referencePage } from './reference/reference-page.ts';

/** Lets a page load its own styles and scripts, and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

/** In load order: rules for narrow screens come last, so that they win. */
const STYLES = ['style.css', 'rows.css', 'narrow.css'];

/**
 * A static reply. Its bytes are shared by all connections that still have to send them; a string would be copied for
 * each.
 */
interface CachedReply {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * Adds the descriptions of the API to a listener: `/openapi.json`, and the reference page at `/reference`. Both are
 * public, and built once both base URLs are known.
 * @source decision 12
 */
export function addApiDescriptions(
  app: FastifyInstance,
  name: string,
  operations: readonly Operation[],
  surroundings: () => DescribedService,
): void {
  const pages: Readonly<Record<string, readonly [type: string, make: () => string]>> = {
    '/openapi.json': ['application/json; charset=utf-8', () => JSON.stringify(openApiOf(operations, surroundings()))],
    '/reference': ['text/html; charset=utf-8', () => referencePage(name, operations, surroundings()).render()],
    ...Object.fromEntries(
      STYLES.map((name) => [`/reference/${name}`, ['text/css; charset=utf-8', () => readReferenceFile(name)]]),
    ),
    '/reference/filter.js': ['text/javascript; charset=utf-8', () => readReferenceFile('filter.js')],
  };
  for (const [path, [type, make]] of Object.entries(pages)) {
    let made: CachedReply | undefined;
    app.get(path, (request, reply) => {
      const now = made ?? served(make());
      const { servers } = surroundings();
      if (servers.production !== '' && servers.sandbox !== '') made = now;
      void reply.headers({
        'content-type': type,
        'cache-control': 'no-cache',
        etag: now.etag,
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
      });
      if (request.headers['if-none-match'] === now.etag) return reply.code(304).send();
      return reply.send(now.bytes);
    });
  }
}

function served(text: string): CachedReply {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
}

function readReferenceFile(name: string): string {
  return readFileSync(new URL(`./reference/${name}`, import.meta.url), 'utf8');
}
