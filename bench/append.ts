import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { sign } from '../src/auth/oauth1/signature.ts';
import { systemClock } from '../src/base/clock.ts';
import { clientOf, protocol } from '../test/rig/client.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { startBarker, type Target } from './rig/target.ts';

const SEGMENT_BYTES = 5 * 1_048_576;
const SEGMENTS = 40;
const AT_ONCE = 4;
const PATH = '/1.1/media/upload.json';

/** Segments of 5 MB sent to APPEND, against writing the same bytes with `node:fs`, each file brought to the disk. */
export async function run(): Promise<void> {
  const target = await startBarker();
  const segment = randomBytes(SEGMENT_BYTES);
  const written = join(target.folder, 'written');
  mkdirSync(written);
  const results = await interleaved(5, {
    APPEND: async () => sendAll(target, await begin(target), segment),
    'node:fs': () => writeAll(written, segment),
  });
  printRates(`segments of 5 MB, ${AT_ONCE} at once`, results, ' MB/s');
  printRatio('APPEND / node:fs', ratio(results.APPEND, results['node:fs']), 'at least 0.5');
  process.stdout.write(`  memory of the server: ${Math.round(target.memory() / 1e6)} MB\n`);
  await target.close();
}

async function begin({ file }: Target): Promise<string> {
  const params = { command: 'INIT', media_type: 'video/mp4', total_bytes: SEGMENTS * SEGMENT_BYTES };
  const begun = await clientOf(file.base_url, file, systemClock, () => {}).call('POST', PATH, { params });
  return begun.body.media_id_string;
}

/** Performs so many works, some at once; the answer is megabytes a second. */
async function rate(work: (index: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < SEGMENTS) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (SEGMENTS * SEGMENT_BYTES) / 1e6 / ((performance.now() - startedAt) / 1000);
}

async function writeAll(folder: string, segment: Buffer): Promise<number> {
  const speed = await rate(async (index) => {
    const file = await open(join(folder, String(index)), 'w');
    await file.writeFile(segment);
    await file.sync();
    await file.close();
  });
  for (let index = 0; index < SEGMENTS; index++) await rm(join(folder, String(index)));
  return speed;
}

async function sendAll(target: Target, id: string, segment: Buffer): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const speed = await rate((index) => send(target, agent, { id, index, segment }));
  agent.destroy();
  return speed;
}

async function send(
  { file }: Target,
  agent: Agent,
  { id, index, segment }: { id: string; index: number; segment: Buffer },
): Promise<void> {
  const target = `${PATH}?command=APPEND&media_id=${id}&segment_index=${index}`;
  const { header } = sign({
    method: 'POST',
    url: file.base_url + target,
    form: undefined,
    oauth: protocol(file, systemClock),
    consumerSecret: file.consumer_secret,
    tokenSecret: file.access_token_secret,
  });
  const head = Buffer.from('--part\r\ncontent-disposition: form-data; name="media"; filename="s"\r\n\r\n');
  const tail = Buffer.from('\r\n--part--\r\n');
  const { hostname, port } = new URL(file.base_url);
  const outgoing = request({
    agent,
    hostname,
    port,
    path: target,
    method: 'POST',
    headers: {
      authorization: header,
      'content-type': 'multipart/form-data; boundary=part',
      'content-length': head.length + segment.length + tail.length,
    },
  });
  outgoing.write(head);
  outgoing.write(segment);
  outgoing.end(tail);
  const [reply] = await once(outgoing, 'response');
  reply.resume();
  await once(reply, 'end');
  if (reply.statusCode !== 204) throw new Error(`APPEND answered ${reply.statusCode}`);
}
