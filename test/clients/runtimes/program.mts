import { readFileSync } from 'node:fs';
import { BarkerClient, BarkerError, developmentOptions, webhookHandler } from '@barker-ads/client';

const barker = new BarkerClient(developmentOptions(JSON.parse(readFileSync('data/dev.json', 'utf8'))));
const told: unknown[] = [];

// Signed calls, pages of a list, an error.
for (let index = 0; index < 3; index++) await barker.accounts.create();
const { length } = await barker.accounts.list({ count: 2 }).all();
told.push(length >= 3);
try {
  await barker.accounts.get({ account_id: 'none' });
} catch (error) {
  told.push(error instanceof BarkerError && error.codes);
}

// A file in parts.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const bytes = Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0));
const media = await barker.upload(new Blob([bytes], { type: 'image/png' }), { partBytes: 30 });
told.push(media.image);

// An event by the stream, with the bearer token of the application.
const { data: me } = await barker.users.me();
await barker.subscriptions.create({ event_type: 'profile.update.bio', filter: { user_id: me.id } }).catch((error) => {
  if (!(error instanceof BarkerError)) throw error;
});
const start_time = new Date(Date.now() - 1000);
await barker.account.updateProfile({ description: `It is ${start_time.toISOString()}` });
for await (const { event_type } of barker.activity.stream({ start_time })) {
  told.push(event_type);
  break;
}

// A challenge to a webhook.
const handler = webhookHandler({ consumerSecret: 'secret', onMessage: () => {} });
told.push((await handler(new Request('http://hooks/in?crc_token=1'))).status);
told.push((await barker.login.begin('oob')).requestToken.length);
console.log(JSON.stringify(told));
