import type { LoggedEvent, NewEvent } from '../src/contract/store/events.ts';
import { openSequencer } from '../src/features/activity/sequencer.ts';
import { migrate } from '../src/storage/core/migrate.ts';
import { storeOn } from '../src/storage/core/store.ts';
import { driverOn, openPlace } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { printRates } from './rig/report.ts';
import { cpuSeconds, familySeconds } from './rig/target.ts';

const AT_ONCE = 32;
const UNITS = 5000;
const ROUNDS = 5;
const NOW = '2026-03-02T17:04:55Z';
const EVENT: NewEvent = {
  ...{ event_type: 'profile.update.bio', user_id: '1', direction: null, text: null },
  payload: JSON.stringify({ before: 'A bio of some length, as people have them', after: 'Another one' }),
};

/** Units of work that append an event each on PostgreSQL, until each has its position in the log. */
export async function run(): Promise<void> {
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  const place = await openPlace('postgres');
  const driver = driverOn(place, { connectionsMax: AT_ONCE });
  await migrate(driver, NOW);
  const store = storeOn(driver);
  let placed = 0;
  let whenPlaced = (): void => {};
  const onEvents = (events: readonly LoggedEvent[]): void => {
    placed += events.length;
    if (placed >= UNITS) whenPlaced();
  };
  const onError = (error: unknown): never => {
    throw error;
  };
  const sequencer = openSequencer({ store, onEvents, onOthersTurn() {}, onError });
  await sequencer.start();
  const results: Record<string, number[]> = { appended: [], 'in the log': [] };
  const costs: Record<string, number[]> = { node: [], PostgreSQL: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    placed = 0;
    const allPlaced = new Promise<void>((resolve) => {
      whenPlaced = resolve;
    });
    const read = (): number[] => [cpuSeconds(process.pid), familySeconds(server.pid())];
    const before = read();
    const startedAt_ms = performance.now();
    let left = UNITS;
    const appendOn = async (): Promise<void> => {
      while (left-- > 0) await store.write((tx) => tx.events.append([EVENT], NOW));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, appendOn));
    const appendedAt_ms = performance.now();
    await allPlaced;
    const placedAt_ms = performance.now();
    const [node_us, postgres_us] = read().map((now, at) => ((now - before[at]!) / UNITS) * 1e6);
    // The first round warms up.
    if (round === 0) continue;
    results.appended!.push((UNITS / (appendedAt_ms - startedAt_ms)) * 1000);
    results['in the log']!.push((UNITS / (placedAt_ms - startedAt_ms)) * 1000);
    costs.node!.push(node_us!);
    costs.PostgreSQL!.push(postgres_us!);
  }
  printRates(`units of work with an event each, ${AT_ONCE} at once (PostgreSQL)`, results);
  printRates('processor time, an event, with its unit of work and its way into the log', costs, ' us');
  await sequencer.stop();
  await driver.close();
  await place.remove();
  await server.stop();
}
