import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { sumsOf } from './copies.ts';
import type { World } from './world.ts';

/** What a call for snapshots sends. */
interface Sent {
  readonly body?: unknown;
  readonly tar?: Buffer;
}

/** Calls the surface for developers, below `/_dev`. */
export async function callDev(
  { service }: Pick<World, 'service'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, tar }: Sent = {},
) {
  const json = method === 'PUT' || method === 'POST' ? JSON.stringify(body ?? {}) : undefined;
  const reply = await request(`${service.url}/_dev${path}`, {
    method,
    headers: tar ? { 'content-type': 'application/x-tar' } : json ? { 'content-type': 'application/json' } : {},
    body: tar ?? json ?? null,
  });
  const bytes = Buffer.from(await reply.body.arrayBuffer());
  const isJson = String(reply.headers['content-type']).startsWith('application/json');
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  return { status: reply.statusCode, bytes, body: (isJson ? JSON.parse(bytes.toString()) : undefined) as any };
}

/** What a world has, but for its node, which signs on again after a restore, and its jobs, which go on. */
export async function contentsOf({ service, place }: World) {
  const { nodes, jobs, ...tables } = await sumsOf(service.driver);
  const folders = ['media/parts', 'media/ready', 'audiences/members', 'audiences/images', 'keywords/index'];
  return { tables, objects: folders.flatMap((folder) => filesOf(join(place.folder, folder))) };
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .sort();
}
