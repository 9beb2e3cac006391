// On either database: envelopes are put into foreign words when they are serialized.
// Of own words: this file has an alias file of its own.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { changeBio } from '../rig/events.ts';
import { register } from '../rig/people.ts';
import { openReceiver, type Receiver, responseToken, said } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';

const WORDS = {
  path_segments: { webhooks: 'haken', activity: 'geschehen', subscriptions: 'abos', stream: 'strom', '2': 'zwei' },
  parameters: {
    event_type: 'art',
    filter: 'sieb',
    user_id: 'wer',
    webhook_id: 'haken',
    nonce: 'zufall',
    url: 'adresse',
  },
  members: { data: 'daten', payload: 'inhalt', after: 'danach', response_token: 'antwort', subscription: 'abo' },
  values: { event_type: { 'profile.update.bio': 'profil.text' }, disconnect_type: { ForceDisconnect: 'Abbruch' } },
  header_prefixes: { 'x-ext-webhooks-': 'x-haken-', 'x-': 'x-eigen-' },
};

let world: World;
let folder: string;
let receiver: Receiver;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barker-aliases-'));
  writeFileSync(join(folder, 'words.json'), JSON.stringify(WORDS));
  world = await openWorld({ flags: { aliases: join(folder, 'words.json') } });
});
after(async () => {
  await receiver?.close();
  // What clients receive here is not in the words of the description.
  await world.close().catch((error: Error) => assert.match(error.message, /replies did not fit/));
  rmSync(folder, { recursive: true });
});

test('webhooks and streams have its words, and signatures cover them', async () => {
  const keys = await register(world);
  const bearer = await bearerOf(keys);
  receiver = await openReceiver(keys.consumer_secret);
  receiver.answerChallenge = (arrived, response) =>
    said(JSON.stringify({ antwort: responseToken(keys.consumer_secret, arrived) }))(arrived, response);
  const made = await call(bearer, 'POST', '/zwei/haken', { adresse: receiver.url });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.equal(made.body.daten.adresse, receiver.url);
  const [challenge] = receiver.challenges;
  assert.match(challenge!.target, /\?crc_token=[0-9a-f]{64}&zufall=/);
  assert.equal(
    challenge!.headers['x-haken-signature'],
    signed(keys.consumer_secret, challenge!.target.slice(challenge!.target.indexOf('?') + 1)),
  );

  const haken = made.body.daten.id;
  const sent = { art: 'profil.text', sieb: { wer: keys.user }, haken };
  const subscribed = await call(bearer, 'POST', '/zwei/geschehen/abos', sent);
  assert.equal(subscribed.status, 200, JSON.stringify(subscribed.body));
  assert.equal(subscribed.body.daten.abo.art, 'profil.text');
  const streamed = await firstLine(bearer, () => changeBio(world, keys.user, ['profile.update.bio']));
  const [message] = await receiver.came(1);
  const { event_uuid, ...envelope } = JSON.parse(message!.body).daten;
  assert.match(event_uuid, /^\d{19}$/);
  // The text of the profile is that of its user.
  const inhalt = { before: '', danach: 'profile.update.bio' };
  assert.deepEqual(envelope, { art: 'profil.text', sieb: { wer: keys.user }, inhalt });
  assert.equal(message!.headers['x-haken-signature'], signed(keys.consumer_secret, message!.body));
  assert.match(String(message!.headers['x-eigen-transaction-id']), /^[0-9a-f]{16}$/);
  assert.equal(streamed, message!.body);
});

test('errors of JSON bodies name members as they came', async () => {
  const keys = await register(world);
  const bearer = await bearerOf(keys);
  const { status, body } = await call(bearer, 'POST', '/zwei/geschehen/abos', { art: 'profil.bild', sieb: {} });
  assert.equal(status, 400);
  const [first] = body.errors;
  assert.deepEqual(Object.keys(first.parameters), ['art']);
  assert.match(first.message, /^The `art` value \[profil\.bild\] is not one of \[.*, profil\.text, /);
  assert.equal(body.type, `${world.service.url}/zwei/problems/invalid-request`);
  assert.equal((await fetch(body.type)).status, 200);
});

function signed(secret: string, text: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`;
}

async function bearerOf(keys: { readonly consumer_key: string; readonly consumer_secret: string }): Promise<string> {
  const authorization = `Basic ${btoa(`${keys.consumer_key}:${keys.consumer_secret}`)}`;
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const reply = await fetch(`${world.service.url}/oauth2/token`, { method: 'POST', headers: { authorization }, body });
  return ((await reply.json()) as { access_token: string }).access_token;
}

async function call(
  bearer: string,
  method: string,
  path: string,
  json: object,
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const reply = await fetch(world.service.url + path, { method, headers, body: JSON.stringify(json) });
  return { status: reply.status, body: await reply.json() };
}

/** The first line of a stream, opened before something happens. */
function firstLine(bearer: string, happen: () => Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    const url = `${world.service.url}/zwei/geschehen/strom`;
    const outgoing = request(url, { headers: { authorization: `Bearer ${bearer}` }, agent: false }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const line = text.split('\r\n').find((each) => each !== '');
        if (line === undefined || !text.includes(`${line}\r\n`)) return;
        resolve(line);
        outgoing.destroy();
      });
      incoming.on('error', () => {});
      happen().catch(reject);
    });
    outgoing.on('error', reject).end();
  });
}
