import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { openPlace, type Place, settleEverybody } from './transition-place.ts';
import { type Mode, type Shown, TRANSITIONS, type Transition } from './transitions.ts';

/** How a mode of delivery is looked at. */
export interface Looking {
  readonly mode: Mode;
  /** Called once, before anything is booked. */
  open(world: World): Promise<void>;
  /** What the line item of the next place targets, so that no other place competes with it. */
  criteria(): readonly Readonly<Record<string, string>>[];
  /** Lets time pass after something has changed; of `later`, it may be noticed later than at once. */
  pass(places: readonly Place[], later: readonly Place[]): Promise<void>;
  /** Whom the line item of each place is shown to. */
  look(places: readonly Place[]): Promise<Shown[]>;
}

interface Row {
  readonly transition: Transition;
  readonly place: Place;
  readonly seen: { before?: Shown; after?: Shown; state?: string; failed?: unknown };
}

/** Every transition happens to an account of its own that delivers; all of them wait for the same clock. */
export function transitionsAre({ mode, open, criteria, pass, look }: Looking): void {
  const rows = new Map<string, Row>();
  const transitions = TRANSITIONS.filter(({ onlySimulated = false }) => mode === 'simulated' || !onlySimulated);
  let world: World;

  async function each(work: (row: Row) => Promise<void>): Promise<void> {
    for (const row of rows.values()) {
      if (row.seen.failed === undefined) await work(row).catch((error) => Object.assign(row.seen, { failed: error }));
    }
  }
  async function passAll(): Promise<void> {
    const all = [...rows.values()];
    const later = all.filter(({ transition }) => transition.isReadLater === true);
    await pass(
      all.map(({ place }) => place),
      later.map(({ place }) => place),
    );
  }
  async function lookAtAll(as: 'before' | 'after'): Promise<void> {
    const places = [...rows.values()].map(({ place }) => place);
    const found = await look(places);
    for (const [at, { seen }] of [...rows.values()].entries()) seen[as] = found[at]!;
  }

  before(async () => {
    world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: mode, audience_size_min: 10 } });
    await settleEverybody(world);
    await open(world);
    for (const transition of transitions) {
      const { given = async () => {}, byNewUser = false } = transition;
      const place = await openPlace(world, given, criteria(), { byNewUser });
      rows.set(transition.what, { transition, place, seen: {} });
    }
    await passAll();
    await lookAtAll('before');
    await each(async ({ transition, place }) => void (await transition.act(place)));
    await passAll();
    await lookAtAll('after');
    await each(async ({ place, seen }) => {
      seen.state = await stateOf(place);
    });
  });
  after(() => world.close());

  describe(`while delivery is ${mode}`, () => {
    for (const { what, ...expected } of transitions) {
      const then = typeof expected.after === 'string' ? expected.after : expected.after[mode];
      test(`${what}: shown to ${expected.before}, then to ${then}; ${expected.state}`, () => {
        const { seen } = rows.get(what)!;
        if (seen.failed !== undefined) throw seen.failed;
        assert.deepEqual(seen, { before: expected.before, after: then, state: expected.state });
      });
    }
  });
}

/** What the campaign says of itself. */
async function stateOf({ call, campaign }: Place): Promise<string> {
  const { status, body } = await call('GET', `campaigns/${campaign}`, { with_deleted: true });
  if (status !== 200) return 'gone';
  const { effective_status, reasons_not_servable } = body.data;
  return [effective_status, ...reasons_not_servable].join(' ');
}
