import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { sign } from '../src/features/auth/oauth1/signature.ts';
import { median } from './rig/report.ts';
import { startBarker } from './rig/target.ts';

const ROUNDS = 6000;
/** Differences are looked for in samples of this size; with fewer, noise alone would decide. */
const WARM = 500;

/** Whether the time that a refusal takes tells what exists: unknown key, wrong signature, unknown token. */
export async function run(): Promise<void> {
  const barker = await startBarker({ accessLog: 'off' });
  const { file } = barker;
  const url = `${file.sandbox_url}/12/accounts`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const unknown = { consumer_key: randomBytes(13).toString('hex').slice(0, 25), consumer_secret: 'x'.repeat(50) };
  const noToken = `${file.user_id}-${randomBytes(20).toString('hex')}`;
  const kinds: Record<string, () => string> = {
    'unknown key': () => signed({ ...file, ...unknown }, url),
    'unknown key, again': () => signed({ ...file, ...unknown }, url),
    'wrong signature': () => signed({ ...file, access_token_secret: 'wrong' }, url),
    'unknown token': () => signed({ ...file, access_token: noToken }, url),
  };
  // In use, so that it is remembered: that must not show either.
  await timed(agent, url, signed(file, url), 200);
  const samples: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS + WARM; round++) {
    // Each kind comes as often behind each of the others.
    for (const name of shuffled(Object.keys(kinds))) {
      const us = await timed(agent, url, kinds[name]!(), 401);
      if (round >= WARM) samples[name]!.push(us);
    }
  }
  agent.destroy();
  process.stdout.write(`refusals of a signed GET, one client, ${ROUNDS} of each, in turn\n`);
  for (const [name, values] of Object.entries(samples)) {
    process.stdout.write(`  ${name.padEnd(20)} ${median(values).toFixed(1)} us in the middle\n`);
  }
  const base = samples['unknown key']!;
  const noise = Math.abs(superiority(base, samples['unknown key, again']!) - 0.5);
  process.stdout.write(
    `  two samples of one kind: one is the slower with a chance of 50 ± ${(noise * 100).toFixed(1)} %\n`,
  );
  for (const name of ['wrong signature', 'unknown token']) {
    const chance = superiority(base, samples[name]!);
    const z = (chance - 0.5) / Math.sqrt((2 * ROUNDS + 1) / (12 * ROUNDS * ROUNDS));
    process.stdout.write(
      `  ${name}: slower than unknown key with a chance of ${(chance * 100).toFixed(1)} %, z ${z.toFixed(1)}  (target 45 to 55 %)\n`,
    );
  }
  await barker.close();
}

interface Keys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token: string;
  readonly access_token_secret: string;
}

function signed(keys: Keys, url: string): string {
  const oauth = {
    oauth_consumer_key: keys.consumer_key,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    oauth_token: keys.access_token,
    oauth_version: '1.0',
  };
  const [consumerSecret, tokenSecret] = [keys.consumer_secret, keys.access_token_secret];
  return sign({ method: 'GET', url, form: undefined, oauth, consumerSecret, tokenSecret }).header;
}

/** Microseconds from sending a request to its whole reply. */
function timed(agent: Agent, url: string, authorization: string, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = process.hrtime.bigint();
    const sent = request(url, { agent, headers: { authorization } }, (reply) => {
      reply.resume();
      reply.on('end', () => {
        const us = Number(process.hrtime.bigint() - startedAt) / 1000;
        if (reply.statusCode === wanted) resolve(us);
        else reject(new Error(`answered ${reply.statusCode}, not ${wanted}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The chance that one of the second sample is above one of the first: 0.5 when they are alike (Mann and Whitney). */
function superiority(first: readonly number[], second: readonly number[]): number {
  const all = [...first.map((value) => ({ value, of: 1 })), ...second.map((value) => ({ value, of: 2 }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end]!.value === all[start]!.value) end += 1;
    // Equal values share the middle of their ranks.
    for (let at = start; at < end; at++) if (all[at]!.of === 2) ranks += (start + end + 1) / 2;
    start = end;
  }
  return (ranks - (second.length * (second.length + 1)) / 2) / (first.length * second.length);
}

function shuffled(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, at: randomBytes(4).readUInt32BE() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}
