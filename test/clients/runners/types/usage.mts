import { type Barker, NotStarted, Refused, start } from '@barker-ads/server/testing';

const barker: Barker = await start({ seed: 1, settings: { rate_limits: 'off', timestamp_window_s: 60 } });
const { body } = await barker.call<{ data: { id: string }[] }>('GET', '/12/accounts', { query: { count: 1 } });
export const id: string | undefined = body.data[0]?.id;
export const receiver = await barker.events.receive({ event_type: 'profile.update.bio', filter: { user_id: '1' } });
export const after: string = (await receiver.waitFor(2, 1000))[1]!.payload.after;
// @ts-expect-error: units belong to the name.
await start({ timeout: 5 });
// @ts-expect-error: only calls of the tools.
await barker.dev('GET', '/12/accounts');
export const errors = [NotStarted, Refused];
await barker.close();
