import { callApi, isUnavailable, textsOf } from '../page-api.ts';
import { pause } from '../timers.ts';
import type { Bookmark, Progress } from './bookmark.ts';
import type { Part } from './people-parts.ts';

/** What an upload has come to. */
export type UploadState =
  | { readonly is: 'sending' | 'done' | 'stopped' | 'signed out' }
  /** The service cannot be reached, or is busy: tried again by itself. */
  | { readonly is: 'waiting'; readonly for_s: number }
  | { readonly is: 'refused'; readonly messages: readonly string[] };

/** What an upload tells, and where it goes. */
export interface UploadPlan {
  readonly path: string;
  readonly type: 'Update' | 'Delete';
  readonly bookmark: Bookmark;
  readonly signal: AbortSignal;
  onProgress(progress: Progress & { readonly bytes: number }): void;
  onState(state: UploadState): void;
}

const WAIT_MAX_S = 30;

/**
 * Sends parts one after the other; the next is read and hashed while one is on its way. What was acknowledged is kept in
 * the bookmark. It ends when all is sent, or with the first refusal.
 */
export async function upload(parts: AsyncGenerator<Part>, plan: UploadPlan): Promise<void> {
  let done = plan.bookmark.read();
  plan.onState({ is: 'sending' });
  for (let next = parts.next(); ; ) {
    const { value: part, done: isLast } = await next;
    if (isLast) break;
    next = parts.next();
    const outcome = await sendPart(part, plan);
    if (outcome.is !== 'done') {
      // What was read ahead is read again.
      await next.catch(() => undefined);
      return plan.onState(outcome);
    }
    done = { rows: part.rows, people: done.people + part.people.length, skipped: done.skipped + part.skipped };
    plan.bookmark.write(done);
    plan.onProgress({ ...done, bytes: part.bytes });
  }
  plan.bookmark.remove();
  plan.onState({ is: 'done' });
}

/** Sends a part until it is answered. */
async function sendPart({ people }: Part, { path, type, signal, onState }: UploadPlan): Promise<UploadState> {
  if (people.length === 0) return { is: 'done' };
  const operation = { operation_type: type, params: { users: people } };
  for (let tries = 0; !signal.aborted; tries += 1) {
    const reply = await callApi('POST', path, [operation]);
    // Whoever is not counted has to be sent again.
    if (reply.status === 200 && reply.body?.data.success_count === people.length) return { is: 'done' };
    if (reply.status === 401) return { is: 'signed out' };
    if (reply.status !== 200 && !isUnavailable(reply)) return { is: 'refused', messages: textsOf(reply) };
    const for_s = Math.min(reply.retryAfter_s > 0 ? reply.retryAfter_s : 2 ** tries, WAIT_MAX_S);
    onState({ is: 'waiting', for_s });
    await pause(for_s * 1000, signal);
    onState({ is: 'sending' });
  }
  return { is: 'stopped' };
}
