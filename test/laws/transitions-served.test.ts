import assert from 'node:assert/strict';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { decide, get, makePublisher } from '../rig/served-ads.ts';
import type { World } from '../rig/world.ts';
import { MEMBERS, type Place, userOf } from './transition-place.ts';
import { transitionsAre } from './transitions-law.ts';

/** Longer than contents of posts are kept, and shorter than anything else. @source decision 978 */
const KEPT_S = 61;
/** Decisions that show each of two creatives, but for once in a million. */
const ASKED = 20;

let world: World;
let credential: string;
const countries = locations().filter(({ location_type }) => location_type === 'COUNTRIES');
/** The country that only one place targets. */
const countryOf = new Map<number, string>();

transitionsAre({
  mode: 'served',
  async open(opened) {
    world = opened;
    credential = await makePublisher(world);
  },
  criteria() {
    const { targeting_value, country_code } = countries[countryOf.size]!;
    countryOf.set(countryOf.size, country_code!);
    return [{ targeting_type: 'LOCATION', targeting_value }];
  },
  async pass(_, later) {
    world.clock.advance(KEPT_S);
    // As when they are read again in the background.
    await world.service.store.write(async (tx) => {
      for (const { account } of later) tx.invalidate(`serving:${account}`);
    });
  },
  async look(places) {
    const shown: string[] = [];
    for (const [at, place] of places.entries()) shown.push(await shownTo(place, countryOf.get(at)!));
    return shown;
  },
});

interface Decided {
  readonly line_item_id: string;
  readonly creative_id: string;
  readonly creative: { readonly card?: unknown };
  readonly impression_url: string;
}

async function ask(number: number, country: string): Promise<Decided | undefined> {
  const placements = [
    { id: 'top', type: 'SERVICE_TIMELINE' },
    { id: 'side', type: 'TAP_BANNER' },
  ];
  const json = { placements, user: { id: userOf(number) }, context: { country } };
  const reply = await decide(world, credential, json);
  assert.equal(reply.status, 200, reply.text);
  const [decision] = reply.body.data.placements.flatMap((each: { decisions: Decided[] }) => each.decisions);
  if (decision) await get(decision.impression_url);
  return decision;
}

async function shownTo({ line, promoted }: Place, country: string): Promise<string> {
  const found = [await ask(0, country), await ask(MEMBERS, country)];
  const decisions = found.filter((each) => each !== undefined);
  if (decisions.length === 0) return 'nobody';
  for (const each of decisions) assert.equal(each.line_item_id, line);
  const who = decisions.length === 2 ? 'everybody' : found[0] ? 'members' : 'others';
  const card = decisions[0]!.creative.card ? ' with a card' : '';
  if (promoted.length === 1) return `${who}${card}`;
  const number = found[0] ? 0 : MEMBERS;
  for (let times = 0; times < ASKED; times++) decisions.push((await ask(number, country))!);
  const shown = new Set(decisions.map((each) => each.creative_id));
  return `${who} by ${promoted.flatMap((id, at) => (shown.has(id) ? [at + 1] : [])).join('+')}`;
}
