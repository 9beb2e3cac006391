/**
 * Verification of signed requests against one `createHmac` of the same base string, interleaved in one process.
 */
import { createHmac } from 'node:crypto';
import { parseRequest, type SignedParts, sign, signingKey, verify } from '../src/features/auth/oauth1/signature.ts';
import { baseStrings } from '../test/rig/base-strings.ts';
import { printRates, printRatio, ratio } from './rig/report.ts';

const REQUESTS = 4_000;
const ROUNDS = 101;
const WARM_UP = 20;

/** As long as the secrets and keys this server issues (authentication 3.1). */
const CONSUMER_SECRET = 'b9Q'.repeat(17).slice(0, 50);
const TOKEN_SECRET = 'x7K'.repeat(15);
const ORIGIN = 'https://api.example.test';
const PATH = '/12/accounts/18ce54d4x5t/campaigns/8wku2';

function signedRequest(index: number): SignedParts {
  const { header } = sign({
    method: 'GET',
    url: ORIGIN + PATH,
    oauth: {
      oauth_consumer_key: 'k3yC0nsumerExample0000001',
      oauth_nonce: createHmac('md5', 'nonce').update(String(index)).digest('hex'),
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(1767225600 + (index % 300)),
      oauth_token: '900000001-acc3ssTok3nExampleCCCCCCCCCCCCCCCCCCCCCCC1',
      oauth_version: '1.0',
    },
    consumerSecret: CONSUMER_SECRET,
    tokenSecret: TOKEN_SECRET,
  });
  // As the HTTP parser makes it: one flat string, not joined pieces.
  return { method: 'GET', target: flat(PATH), authorization: flat(header), form: undefined };
}

function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Nanoseconds per call over one pass of all items. */
function timed<Item>(items: readonly Item[], call: (item: Item) => boolean): number {
  const start = process.hrtime.bigint();
  let good = 0;
  for (const item of items) if (call(item)) good += 1;
  const spent = Number(process.hrtime.bigint() - start);
  if (good !== items.length) throw new Error(`${items.length - good} of ${items.length} calls failed`);
  return spent / items.length;
}

/**
 * Runs the measurement and prints the medians of both sides and the ratio of their rates (target 0.6, aim 1.0).
 * @source authentication 2.1
 */
export async function run(): Promise<void> {
  const requests = Array.from({ length: REQUESTS }, (_, index) => signedRequest(index));
  const origins = [ORIGIN];
  const key = signingKey(CONSUMER_SECRET, TOKEN_SECRET);
  const keyText = `${CONSUMER_SECRET}&${TOKEN_SECRET}`;
  const texts = requests.map((request) => {
    const claim = parseRequest(request);
    if ('reason' in claim) throw new Error(claim.detail);
    return flat(baseStrings(claim, origins)[0] ?? '');
  });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const one = timed(requests, (request) => {
      const claim = parseRequest(request);
      return !('reason' in claim) && verify(claim, origins, key);
    });
    const other = timed(texts, (text) => createHmac('sha1', keyText).update(text).digest('base64').length === 28);
    if (round < 0) continue;
    ours.push(one);
    theirs.push(other);
  }
  const title = `signatures of base strings of ${texts[0]?.length} bytes, ${REQUESTS} distinct requests`;
  printRates(title, { verify: ours, createHmac: theirs }, ' ns');
  printRatio('createHmac / verify', ratio(theirs, ours), 'at least 0.6, aim 1');
}

if (import.meta.main) await run();
