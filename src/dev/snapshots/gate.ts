import type { IncomingMessage, ServerResponse } from 'node:http';
import { arrivals } from '../../base/arrivals.ts';
import { after } from '../../base/timers.ts';
import { DevError } from '../surface/call.ts';

/** Keeps requests away while the contents of the service are replaced. */
export interface Gate {
  /** Counts a request until its reply is sent; answers it, and returns true, while the gate is closed. */
  arrive(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * Closes the gate, waits until the requests under way have been answered, and runs `work`. `atClosing` ends those that
   * last. @throws DevError
   */
  closed<T>(atClosing: () => Promise<void>, work: () => Promise<T>): Promise<T>;
}

/** Requests under way may take this long: nothing is replaced under them. */
const WAIT_MS = 10_000;

/** Opens a gate. Calls of the surface are not waited for: what controls the service may last as long as it. */
export function openGate(): Gate {
  /** Methods and addresses. */
  const underWay = arrivals<string>();
  let isClosed = false;
  let onIdle = (): void => {};

  return {
    arrive(request, response) {
      if (isClosed) {
        const error = { code: 'RESTORING', message: 'the service is being restored; try again in a second' };
        response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' });
        response.end(`${JSON.stringify({ errors: [error] })}\n`);
        // The rest of the body is dropped.
        request.resume();
        return true;
      }
      if (request.url!.startsWith('/_dev')) return false;
      const leave = underWay.add(`${request.method} ${request.url}`);
      response.once('close', () => {
        leave();
        if (underWay.size === 0) onIdle();
      });
      return false;
    },
    async closed(atClosing, work) {
      if (isClosed) throw new DevError(409, 'RESTORING', 'another restore or reset is under way; try again');
      isClosed = true;
      try {
        await atClosing();
        if (underWay.size > 0) await idle();
        return await work();
      } finally {
        isClosed = false;
      }
    },
  };

  function idle(): Promise<void> {
    return new Promise((resolve, reject) => {
      const callOff = after(WAIT_MS, () => {
        const first = underWay.oldest()!.replace(/\?.*/, '');
        const message = `${underWay.size} requests did not end within ${WAIT_MS / 1000} s, the first is ${first}; nothing was changed`;
        onIdle = () => {};
        reject(new DevError(409, 'REQUESTS_UNDER_WAY', message));
      });
      onIdle = () => {
        callOff();
        resolve();
      };
    });
  }
}
