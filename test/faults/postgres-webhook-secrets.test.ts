import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { SIGNATURE_HEADER, signatureOf } from '../../src/features/activity/webhooks/signing.ts';
import { suspendApplication } from '../../src/features/auth/applications/administration.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { driverOn } from '../rig/databases.ts';
import { makeHooks } from '../rig/deliverers.ts';
import { changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { type Answering, status } from '../rig/receiver.ts';
import { renewKeys } from '../rig/revocations.ts';
import { openWorld, type World } from '../rig/world.ts';

/** Requests to one webhook that may be in flight. */
const IN_FLIGHT_MAX = 10;
const EVENTS = 30;
/** By chance the service may just have looked for changes, which it does twice a second. */
const ROUNDS = 4;

let world: World;
/** Another process on the same database. */
let elsewhere: Store;
before(async () => {
  world = await openWorld();
  elsewhere = storeOn(driverOn(world.place));
});
after(async () => {
  await elsewhere.close();
  await world.close();
});

/** A webhook whose receiver has left the first messages unanswered; the others wait behind them. */
async function queued() {
  const hooks = await makeHooks(world, 1);
  const { receiver, user } = hooks;
  const held: ServerResponse[] = [];
  receiver.answer = (_, response) => void held.push(response);
  await changeBio(
    world,
    user,
    Array.from({ length: EVENTS }, (_, index) => `event ${index}`),
  );
  await receiver.came(IN_FLIGHT_MAX);
  const goOn = (answer: Answering): void => {
    receiver.answer = answer;
    for (const response of held) response.writeHead(200).end();
  };
  return { ...hooks, goOn };
}

test('what waits behind messages in flight is signed by the secret that another process has acknowledged', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { receiver, application, goOn } = await queued();
    const { consumer_secret } = await elsewhere.write((tx) => renewKeys(world, tx, application));
    goOn(status(200));
    const later = (await receiver.came(EVENTS)).slice(IN_FLIGHT_MAX);
    const isSigned = later.map(({ headers, body }) => headers[SIGNATURE_HEADER] === signatureOf(consumer_secret, body));
    assert.deepEqual(isSigned, Array(EVENTS - IN_FLIGHT_MAX).fill(true));
    await receiver.close();
  }
});

test('what waits behind them is not sent once another process has acknowledged that the application is suspended', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { receiver, application, goOn, ids } = await queued();
    await elsewhere.write((tx) => suspendApplication(tx, application, true));
    goOn(status(200));
    const query = { webhook: ids[0]!, state: 'pending' as const, after: undefined, limit: EVENTS };
    await until('the others are stored for later', async () => {
      const rows = await world.service.store.read((tx) => tx.webhookDeliveries.page(query));
      return rows.length === EVENTS - IN_FLIGHT_MAX;
    });
    assert.equal(receiver.messages.length, IN_FLIGHT_MAX);
    await receiver.close();
  }
});
