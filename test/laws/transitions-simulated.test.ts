import type { DeliveryDay } from '../../src/contract/store/delivery-ledger.ts';
import { readBookings } from '../../src/features/delivery/bookings.ts';
import type { World } from '../rig/world.ts';
import { MEMBERS, type Place } from './transition-place.ts';
import { transitionsAre } from './transitions-law.ts';

const DAY_S = 86_400;
const HOUR_S = 3600;

let world: World;

transitionsAre({
  mode: 'simulated',
  async open(opened) {
    world = opened;
  },
  criteria: () => [],
  async pass(places) {
    // Members of audiences are counted once a day.
    for (const seconds of [0, DAY_S]) {
      world.clock.advance(seconds);
      for (const place of places) await settle(place);
    }
  },
  async look(places) {
    const before = await Promise.all(places.map(impressionsOf));
    world.clock.advance(HOUR_S);
    return Promise.all(places.map(async (place, at) => shownTo(place, before[at]!)));
  },
});

async function settle({ account }: Place): Promise<void> {
  await world.service.services.delivery.settle({
    id: account,
    environment: 'sandbox',
    timezone: 'America/Los_Angeles',
  });
}

async function impressionsOf({ account, line }: Place): Promise<Map<string, number>> {
  const range = { account, from: '', until: '9', line_items: [line] };
  const days = await world.service.store.read((tx) => tx.deliveryLedger.listDays(range));
  const sums = new Map<string, number>();
  const add = ({ creative_id, impressions }: DeliveryDay) =>
    sums.set(creative_id, (sums.get(creative_id) ?? 0) + impressions);
  days.forEach(add);
  return sums;
}

async function shownTo(place: Place, before: ReadonlyMap<string, number>): Promise<string> {
  await settle(place);
  const now = await impressionsOf(place);
  const shown = [...now].filter(([id, sum]) => sum > (before.get(id) ?? 0)).map(([id]) => id);
  if (shown.length === 0) return 'nobody';
  const audiences = await world.service.store.read((tx) =>
    tx.deliveryLedger.listAudiences(place.account, [place.line]),
  );
  const { people } = audiences.at(-1)!;
  const who = people === 3 * MEMBERS ? 'everybody' : people > MEMBERS ? 'others' : 'members';
  return `${withCreatives(place, who, shown)}${(await showsCard(place)) ? ' with a card' : ''}`;
}

async function showsCard({ account, line }: Place): Promise<boolean> {
  const settled = { id: account, environment: 'sandbox', timezone: 'America/Los_Angeles' } as const;
  const { lines } = await world.service.store.read((tx) => readBookings(tx, settled, { ids: [line] }));
  return lines.some(({ creatives }) => creatives.some(({ kind }) => kind === 'website_card' || kind === 'poll'));
}

function withCreatives({ promoted }: Place, who: string, shown: readonly string[]): string {
  if (promoted.length === 1) return who;
  return `${who} by ${promoted.flatMap((id, at) => (shown.includes(id) ? [at + 1] : [])).join('+')}`;
}
