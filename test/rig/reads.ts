import assert from 'node:assert/strict';
import { operations } from '../../src/app/dependencies.ts';
import { mediaKeyOf } from '../../src/contract/services/media.ts';
import { goodCall, send, type TestAccount } from '../behaviours/test-account.ts';
import { type Good, goodCalls } from './good-calls.ts';
import { type RawCall, rawCall } from './raw.ts';
import { GIF, JPEG, MP4 } from './tiny-media.ts';
import { upload } from './uploading.ts';
import type { World } from './world.ts';

const MEDIA = 'https://media.example';
/** What worlds are opened with whose answers are compared. */
export const READ_FLAGS = { rate_limits: 'off', media_base_url: MEDIA, media_processing_s: 0, audience_size_min: 1 };
/** What a process counts, and does not keep. */
const OF_THE_PROCESS = ['application.rate_limit_status'];

/** Puts a row of everything into an account, pictures and videos too; the answer is a good call of every operation that reads. */
export async function readsOf(setup: TestAccount): Promise<Map<string, RawCall>> {
  const { world, account } = setup;
  for (const [bytes, media_type, media_category] of [
    [JPEG, 'image/jpeg', 'POST_IMAGE'],
    [GIF, 'image/gif', 'POST_GIF'],
    [MP4, 'video/mp4', 'AMPLIFY_VIDEO'],
  ] as const) {
    const { id } = await upload(world.sandbox, bytes, { media_type, media_category: media_category.toLowerCase() });
    await world.service.jobs.runDue();
    const params = { media_key: mediaKeyOf(media_category, id) };
    const added = await world.sandbox.call('POST', `/12/accounts/${account}/media_library`, { params });
    assert.equal(added.status, 200, added.text);
  }
  const isOfAccounts = (path: string): boolean => path.includes(':account_id/');
  for (const operation of operations.filter(({ method, path }) => method === 'POST' && isOfAccounts(path))) {
    await send(setup.client, await goodCall(setup, operation));
  }
  await world.service.jobs.runDue();
  const calls = new Map<string, RawCall>();
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    calls.set(operation.id, await readOf(setup, operation));
  }
  return calls;
}

async function readOf(setup: TestAccount, operation: (typeof operations)[number]): Promise<RawCall> {
  const { world } = setup;
  const { id, family, path } = operation;
  const call = { method: 'GET', keys: world.keys };
  const good: Good | undefined = await goodCalls[id]?.(world, world.keys);
  if (good) {
    const { query = '', ...input } = good;
    return { ...call, ...input, target: (input.target ?? path) + query };
  }
  if (family !== 'ads') return { ...call, target: path };
  const prepared = await goodCall(setup, operation);
  const { params = {} } = prepared.sent;
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const isWhole = query.size === 0;
  return { ...call, target: `${prepared.path}${isWhole ? '' : prepared.path.includes('?') ? '&' : '?'}${query}` };
}

/** What a service answers to calls, by their names; all of them have to succeed. */
export async function answersOf(world: World, calls: ReadonlyMap<string, RawCall>): Promise<Map<string, string>> {
  // Indexes that a copy leaves out are made again first.
  await world.service.jobs.runDue();
  const answers = new Map<string, string>();
  for (const [id, call] of calls) {
    if (OF_THE_PROCESS.includes(id)) continue;
    const { status, text } = await rawCall(world.service.sandboxUrl, world.clock, call);
    assert.equal(status, 200, `${id}: ${text}`);
    // Every start has other ports.
    const { url, sandboxUrl } = world.service;
    answers.set(id, text.replaceAll(url, 'http://production').replaceAll(sandboxUrl, 'http://sandbox'));
  }
  return answers;
}

/** What is served under every address of media that replies name. */
export async function mediaIn(world: World, answers: ReadonlyMap<string, string>) {
  const found = new Map<string, { readonly status: number; readonly bytes: string }>();
  for (const text of answers.values()) {
    for (const [url] of text.matchAll(/https:\/\/media\.example\/[^"\\\s]+/g)) {
      if (found.has(url)) continue;
      const reply = await fetch(url.replace(MEDIA, `${world.service.sandboxUrl}/media`));
      found.set(url, { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()).toString('base64') });
    }
  }
  return found;
}
