import { after, pause } from '../../base/timers.ts';
import { ObjectsUnavailable } from '../../contract/problems/objects-unavailable.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { ContentMismatch, ObjectMissing } from '../../contract/services/objects.ts';

/** Delays before further attempts, in milliseconds. @source decision 782 */
const RETRY_MS = [100, 400];

/** An attempt at a call. */
export interface Attempt {
  /** Aborted when the store is silent for too long, or the caller gives up. */
  readonly signal: AbortSignal;
  /** Restarts the timeout; called whenever bytes arrive. */
  readonly progress: () => void;
}

/** Is notified when the store is lost and when it is back. The reason contains no secret. */
export interface ObjectStoreListener {
  lost(because: string): void;
  back(): void;
}

/** An error of the source of an upload, not of the store. */
export class SourceBroken extends Error {
  override readonly name = 'SourceBroken';
}

/** Calls to a remote store, each with a timeout and retries after temporary failures. */
export interface Attempts {
  /** @throws ObjectsUnavailable */
  run<T>(call: (attempt: Attempt) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Waits for a piece of a reply, without repeating it. @throws ObjectsUnavailable */
  next<T>(piece: Promise<T>): Promise<T>;
  isUp(): boolean;
}

/**
 * @param silence_ms How long the store may be silent before a call fails.
 * @param dropConnections Closes idle connections: when one is dead, the others may be too.
 */
export function attemptsOf(silence_ms: number, listener: ObjectStoreListener, dropConnections: () => void): Attempts {
  let isUp = true;
  const heard = (): void => {
    if (!isUp) listener.back();
    isUp = true;
  };
  const unavailable = (error: unknown): ObjectsUnavailable => {
    const because = reasonOf(error);
    if (isUp) listener.lost(because);
    isUp = false;
    return new ObjectsUnavailable(new Error(`the object store does not answer as it should (${because})`));
  };

  async function once<T>(call: (attempt: Attempt) => Promise<T>, outer?: AbortSignal): Promise<T> {
    outer?.throwIfAborted();
    const controller = new AbortController();
    const silence = Promise.withResolvers<never>();
    silence.promise.catch(() => {});
    const giveUp = (reason: Error): void => {
      controller.abort(reason);
      silence.reject(reason);
    };
    const tooLate = (): void => {
      giveUp(new Silent(`no answer for ${silence_ms / 1000} s`));
      dropConnections();
    };
    const cancel = (): void => giveUp(outer!.reason as Error);
    let callOff = after(silence_ms, tooLate);
    outer?.addEventListener('abort', cancel, { once: true });
    const progress = (): void => {
      callOff();
      if (!controller.signal.aborted) callOff = after(silence_ms, tooLate);
    };
    try {
      return await Promise.race([call({ signal: controller.signal, progress }), silence.promise]);
    } finally {
      callOff();
      outer?.removeEventListener('abort', cancel);
    }
  }

  return {
    isUp: () => isUp,
    async run(call, outer) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          const result = await once(call, outer);
          heard();
          return result;
        } catch (error) {
          if (outer?.aborted) throw outer.reason;
          if (error instanceof SourceBroken) throw error.cause;
          if (error instanceof ObjectMissing) heard();
          if (error instanceof ObjectMissing || error instanceof ContentMismatch || error instanceof Problem)
            throw error;
          const wait_ms = RETRY_MS[attempt];
          if (wait_ms === undefined || !mayPass(error)) throw unavailable(error);
          await pause(wait_ms);
        }
      }
    },
    async next(piece) {
      try {
        return await once(() => piece);
      } catch (error) {
        throw unavailable(error);
      }
    },
  };
}

/** Replies to HEAD have no body: the client knows only their status. */
function reasonOf(error: unknown): string {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  if (name === 'Unknown' && $metadata?.httpStatusCode !== undefined) {
    const isRefusal = $metadata.httpStatusCode === 403;
    return `status ${$metadata.httpStatusCode}${isRefusal ? ': the key or its secret is wrong, or may not do this' : ''}`;
  }
  return message === name || name === 'Error' ? message : `${name}: ${message}`;
}

/** The store was silent for too long. Not retried: callers have waited long enough. */
class Silent extends Error {
  override readonly name = 'Silent';
}

/** Whether a retry may succeed: not after a refusal, such as of a wrong key. */
function mayPass(error: unknown): boolean {
  if (error instanceof Silent) return false;
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return status === undefined || status >= 500 || status === 429 || status === 408;
}
