import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { sign } from '../src/features/auth/oauth1/signature.ts';
import { clientOf, protocol } from '../test/rig/client.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { startBarker, startReceiver, type Target } from './rig/target.ts';

const SEGMENT_BYTES = 5 * 1_048_576;
const SEGMENTS = 40;
const AT_ONCE = 4;
const ROUNDS = 9;
/** As long as widespread clients make it. */
const BOUNDARY = '3f1c0d9ab2e84c7fb0a1d5e67c9f2b48';
const PATH = '/1.1/media/upload.json';

/**
 * Segments of 5 MB sent to APPEND, against writing the same bytes with `node:fs`, and against sending them as they are to
 * a bare server that does nothing but write them; each brings every file to the disk. After each round the files are
 * removed, so that all write into memory that the system has had in use.
 */
export async function run(): Promise<void> {
  const target = await startBarker();
  const written = join(target.folder, 'written');
  mkdirSync(written);
  const bare = await startReceiver(written);
  const video = randomBytes(SEGMENTS * SEGMENT_BYTES);
  const results = await interleaved(ROUNDS, {
    APPEND: () => appendAll(target, video),
    'node:http to a file': () => postAll(bare.origin, written, video),
    'node:fs': () => writeAll(written, video),
  });
  printRates(`segments of 5 MB, ${AT_ONCE} at once`, results, ' MB/s');
  printRatio('APPEND / node:fs', ratio(results.APPEND, results['node:fs']), 'at least 0.5');
  printRatio('APPEND / node:http to a file', ratio(results.APPEND, results['node:http to a file']));
  process.stdout.write(`  memory of the server: ${Math.round(target.memory() / 1e6)} MB\n`);
  await bare.close();
  await target.close();
}

async function begin({ file }: Target): Promise<string> {
  const params = { command: 'INIT', media_type: 'video/mp4', total_bytes: SEGMENTS * SEGMENT_BYTES };
  const begun = await clientOf(file.base_url, file, systemClock, () => {}).call('POST', PATH, { params });
  return begun.body.media_id_string;
}

function segmentOf(video: Buffer, index: number): Buffer {
  return video.subarray(index * SEGMENT_BYTES, (index + 1) * SEGMENT_BYTES);
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

async function writeAll(folder: string, video: Buffer): Promise<number> {
  const speed = await rate(async (index) => {
    const file = await open(join(folder, String(index)), 'w');
    await file.writeFile(segmentOf(video, index));
    await file.sync();
    await file.close();
  });
  await clear(folder);
  return speed;
}

async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name));
}

async function postAll(origin: string, folder: string, video: Buffer): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const speed = await rate((index) => post(new URL('/', origin), agent, {}, [segmentOf(video, index)]));
  agent.destroy();
  await clear(folder);
  return speed;
}

async function appendAll(target: Target, video: Buffer): Promise<number> {
  const id = await begin(target);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const speed = await rate((index) => append(target, agent, id, index, segmentOf(video, index)));
  agent.destroy();
  await rm(join(target.folder, 'media', 'parts', id), { recursive: true });
  return speed;
}

async function append({ file }: Target, agent: Agent, id: string, index: number, segment: Buffer): Promise<void> {
  const url = `${file.base_url}${PATH}?command=APPEND&media_id=${id}&segment_index=${index}`;
  const { header } = sign({
    method: 'POST',
    url,
    form: undefined,
    oauth: protocol(file, systemClock),
    consumerSecret: file.consumer_secret,
    tokenSecret: file.access_token_secret,
  });
  const head = Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="media"; filename="s"\r\n\r\n`);
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const headers = { authorization: header, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  await post(new URL(url), agent, headers, [head, segment, tail]);
}

async function post(url: URL, agent: Agent, headers: Record<string, string>, pieces: readonly Buffer[]): Promise<void> {
  const length = pieces.reduce((total, piece) => total + piece.length, 0);
  const outgoing = request(url, { agent, method: 'POST', headers: { ...headers, 'content-length': length } });
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
  const [reply] = await once(outgoing, 'response');
  reply.resume();
  await once(reply, 'end');
  if (reply.statusCode !== 204) throw new Error(`${url.pathname} answered ${reply.statusCode}`);
}
