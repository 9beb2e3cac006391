import assert from 'node:assert/strict';
import type { Reply } from '../rig/client.ts';

/** Expects a status. */
export function expectStatus(reply: Reply, status: number): void {
  assert.equal(reply.status, status, `expected ${status}, got ${reply.status} ${reply.text.slice(0, 300)}`);
}

/** Expects an error with a numeric code, and perhaps its message. */
export function expectError(reply: Reply, status: number, code: number | string, message?: string): void {
  const error = reply.body?.errors?.[0];
  const said = `${reply.status}/${error?.code}`;
  assert.equal(said, `${status}/${code}`, `expected ${status}/${code}, got ${said} ${reply.text.slice(0, 300)}`);
  if (message !== undefined) assert.equal(error.message, message);
}

/** Expects a problem of version 2, by the end of its type. */
export function expectProblem(reply: Reply, status: number, slug: string): void {
  expectStatus(reply, status);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/);
  const type: string = reply.body?.type ?? reply.body?.errors?.[0]?.type ?? '';
  assert.ok(type.endsWith(slug), `expected the type ${slug}, got ${reply.text.slice(0, 300)}`);
}

/** The pairs of a form-encoded reply, in order. */
export function pairsOf(reply: Reply): Record<string, string> {
  expectStatus(reply, 200);
  return Object.fromEntries(new URLSearchParams(reply.text));
}
