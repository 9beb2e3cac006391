import type { Part } from '../../../features/audiences/uploads/people-parts.ts';
import { callApi, isUnavailable, textsOf } from '../page-api.ts';
import { pause } from '../timers.ts';
import type { Bookmark } from './bookmark.ts';

/** The state of an upload. */
export type UploadState =
  | { readonly is: 'sending' | 'done' | 'stopped' | 'signed out' }
  /** The server is unreachable or busy; the upload retries. */
  | { readonly is: 'waiting'; readonly for_s: number }
  | { readonly is: 'refused'; readonly messages: readonly string[] };

/** The target and the callbacks of an upload. */
export interface UploadPlan {
  readonly path: string;
  readonly bookmark: Bookmark;
  readonly signal: AbortSignal;
  onSent(part: Part): void;
  onState(state: UploadState): void;
}

const WAIT_MAX_S = 30;

/**
 * Sends parts one after the other; the next is read and hashed while one is on its way. What was acknowledged is kept in
 * the bookmark. It ends when all is sent, or with the first refusal.
 */
export async function upload(parts: AsyncGenerator<Part>, plan: UploadPlan): Promise<void> {
  plan.onState({ is: 'sending' });
  for (let next = parts.next(); ; ) {
    const { value: part, done: isLast } = await next;
    if (isLast) break;
    next = parts.next();
    const outcome = await sendPart(part, plan);
    if (outcome.is !== 'done') {
      // The prefetched part is read again later.
      await next.catch(() => undefined);
      return plan.onState(outcome);
    }
    plan.bookmark.write(part.done);
    plan.onSent(part);
  }
  plan.bookmark.remove();
  plan.onState({ is: 'done' });
}

/** Sends a part, with retries until there is a reply. */
async function sendPart({ operations, lines }: Part, { path, signal, onState }: UploadPlan): Promise<UploadState> {
  if (operations.length === 0) return { is: 'done' };
  const people = lines.flat().length;
  for (let tries = 0; !signal.aborted; tries += 1) {
    const reply = await callApi('POST', path, operations);
    // Rows missing from the count must be sent again.
    if (reply.status === 200 && reply.body?.data.success_count === people) return { is: 'done' };
    if (reply.status === 401) return { is: 'signed out' };
    if (reply.status !== 200 && !isUnavailable(reply)) return { is: 'refused', messages: textsOf(reply) };
    const for_s = Math.min(reply.retryAfter_s > 0 ? reply.retryAfter_s : 2 ** tries, WAIT_MAX_S);
    onState({ is: 'waiting', for_s });
    await pause(for_s * 1000, signal);
    onState({ is: 'sending' });
  }
  return { is: 'stopped' };
}
