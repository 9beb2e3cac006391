import { formatInstant, instantMs } from '../../../base/instants.ts';
import { releaseMemory } from '../../../base/release-memory.ts';
import { withTimeout } from '../../../base/timers.ts';
import type { Call } from '../../../contract/declare/operation.ts';
import { BatchProblem } from '../../../contract/problems/batch-problem.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import {
  AUDIENCE_PROCESSING,
  type ParsedUpload,
  type Subject,
  type UploadRules,
} from '../../../contract/store/audiences.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';

/** How long the reply waits for processing if there is no processing delay. @source decision 287 */
const WAIT_MS = 10_000;

/** The target of an upload. */
export interface Destination {
  readonly subject: Subject;
  /** @throws Problem if the caller may not upload to it */
  check(tx: ReadTransaction): Promise<void>;
}

/**
 * Accepts an upload, all or nothing; the body is validated before the audience. It is stored before the reply, and
 * processed later.
 * @source creatives 19; decision 276, 277
 */
export async function acceptUpload(
  call: Call,
  { subject, check }: Destination,
  rules: UploadRules,
): Promise<ParsedUpload> {
  const {
    store,
    audiences: { uploads: people, rules: audiences },
    ids,
  } = call.services;
  const now_s = instantMs(call.now) / 1000;
  const read = await people.read(call.body as Uint8Array<ArrayBuffer>, now_s, rules);
  if ('whole' in read) throw new Problem(read.whole);
  if ('items' in read) throw new BatchProblem(read.items, JSON.stringify({ params: call.path }));
  const delay_s = audiences.processing_delay_s(call.environment);
  const run_at = formatInstant((now_s + delay_s) * 1000);
  const { records, payload } = read;
  const [key] = (await ids.take('audience_payload', 1, 1)) as [string];
  await store.write(async (tx) => {
    await check(tx);
    await tx.audienceLog.storePayload(subject, key, payload);
    // From here on, uploads to the same audience are serialized. Rows are locked in the order of the processing job, to prevent
    // deadlocks.
    await Promise.all([
      tx.jobs.planNoLaterThan({ kind: AUDIENCE_PROCESSING, key: subject, run_at }),
      tx.audiences.beginProcessing(subject),
      tx.audienceLog.append(subject, { accepted_at: now_s, records, key, bytes: payload.length }),
    ]);
  });
  releaseMemory(payload);
  if (delay_s === 0) await waitForProcessing(call, subject);
  return read;
}

async function waitForProcessing({ services }: Call, subject: Subject): Promise<void> {
  const done = services.jobs.runNow(AUDIENCE_PROCESSING, subject);
  // A failure or a timeout is ignored: the upload is stored already.
  await withTimeout(WAIT_MS, done).catch(() => undefined);
}
