import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Condition, PeopleQuery } from '../src/contract/store/directory.ts';
import { samplePeople } from '../src/dev/samples/sample-people.ts';
import { countPeople, histogramOf } from '../src/features/audiences/directory/count-people.ts';
import { type Image, readImage } from '../src/features/audiences/directory/image.ts';
import { imageWriter } from '../src/features/audiences/directory/image-writer.ts';
import { COUNTED_WORDS, sharesOf } from '../src/features/delivery/audiences/shares.ts';

const PEOPLE = 1_000_000;
const ROUNDS = 40;
const PAGE = 5000;
const NOW_S = 1_800_000_000;
const ACTIVE_SINCE = NOW_S - 90 * 86_400;

const word = (word: 'country' | 'language' | 'platform', ...values: string[]): Condition => ({
  is: 'word',
  word,
  values,
});
const EVERYBODY: PeopleQuery = { anyOf: [], allOf: [], noneOf: [] };
const followers: Condition = { is: 'listed', list: 'follows', values: ['2900000010'] };
const QUESTIONS: Readonly<Record<string, readonly PeopleQuery[]>> = {
  'everybody, without criteria': [EVERYBODY],
  'a country': [{ ...EVERYBODY, allOf: [[word('country', 'US')]] }],
  'a country, ages and a platform': [
    { ...EVERYBODY, allOf: [[word('country', 'US')], [{ is: 'age', from: 18, to: 34 }], [word('platform', '1')]] },
  ],
  'followers of a user': [{ ...EVERYBODY, anyOf: [followers] }],
  'followers with expansion BROAD': [{ ...EVERYBODY, anyOf: [{ is: 'alike', to: { is: 'alike', to: followers } }] }],
  'ten countries together, a question each': ['US', 'DE', 'FR', 'GB', 'JP', 'BR', 'IN', 'ES', 'IT', 'MX'].map(
    (country) => ({ ...EVERYBODY, allOf: [[word('country', country)]] }),
  ),
};

/** How long the directory takes to count people with their shares by segment, beside only counting them. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const image = imageOfSample(folder);
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`${PEOPLE.toLocaleString('en')} people, p50 and p95 of ${ROUNDS}, processor time\n`);
  for (const [what, queries] of Object.entries(QUESTIONS)) {
    const asked = { queries, activeSince: ACTIVE_SINCE, words: COUNTED_WORDS };
    const [only, whole] = [
      times(() => queries.reduce((sum, query) => sum + countPeople(image, query, ACTIVE_SINCE), 0)),
      times(() => sharesOf(histogramOf(image, asked)).AGE!),
    ];
    const { people } = histogramOf(image, asked);
    assert.ok(people > 0, what);
    process.stdout.write(`  ${what.padEnd(42)} ${shown(whole)} ms; only counted ${shown(only)} ms; ${people} people\n`);
  }
}

/** An image of sample people without identifiers, which are not counted. */
function imageOfSample(parent: string): Image {
  const folder = join(parent, 'image');
  const writer = imageWriter(join(parent, 'making'));
  const made = samplePeople({ seed: 1, users: PEOPLE, registered: ['900000001'], now: NOW_S });
  for (let from = 0; from < PEOPLE; from += PAGE) {
    const numbers = Array.from({ length: Math.min(PAGE, PEOPLE - from) }, (_, index) => from + index);
    writer.add(numbers.map((number) => ({ ...made(number).person, identifiers: new Uint8Array(), number })));
  }
  writer.finish({ version: 1, mark: 'bench', people: PEOPLE }, folder);
  return readImage(folder);
}

/** Sorted, in milliseconds of this thread on a processor; the first ones are not counted. */
function times(work: () => unknown): number[] {
  const found: number[] = [];
  for (let round = -5; round < ROUNDS; round++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    if (round >= 0) found.push((user + system) / 1000);
  }
  return found.sort((a, b) => a - b);
}

function shown(sorted: readonly number[]): string {
  return `${sorted[ROUNDS / 2]!.toFixed(1)} and ${sorted[Math.floor(ROUNDS * 0.95)]!.toFixed(1)}`;
}
