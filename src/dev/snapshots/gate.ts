import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFifo } from '../../base/arrivals.ts';
import { after } from '../../base/timers.ts';
import { DevError } from '../surface/call.ts';

/** Requests under way may take this long: the contents are not replaced before they end. */
const WAIT_MS = 10_000;

/** Rejects requests while the contents of the service are replaced. */
export class Gate {
  /** Methods and URLs of requests. */
  readonly #underWay = createFifo<string>();
  #isClosed = false;
  #onIdle = (): void => {};

  /** Counts a request until its reply is sent. While the gate is closed, replies to it and returns true. */
  arrive(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#isClosed) {
      const error = { code: 'RESTORING', message: 'the service is being restored; try again in a second' };
      response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' });
      response.end(`${JSON.stringify({ errors: [error] })}\n`);
      // Discards the rest of the body.
      request.resume();
      return true;
    }
    // Not counted: developer calls may wait for the gate themselves.
    if (request.url!.startsWith('/_dev')) return false;
    const leave = this.#underWay.add(`${request.method} ${request.url}`);
    response.once('close', () => {
      leave();
      if (this.#underWay.size === 0) this.#onIdle();
    });
    return false;
  }

  /**
   * Closes the gate, waits for the requests under way, and runs `work`. `atClosing` ends long-lived requests.
   * @throws DevError
   */
  async closed<T>(atClosing: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new DevError(409, 'RESTORING', 'another restore or reset is under way; try again');
    this.#isClosed = true;
    try {
      await atClosing();
      if (this.#underWay.size > 0) await this.#idle();
      return await work();
    } finally {
      this.#isClosed = false;
    }
  }

  #idle(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = after(WAIT_MS, () => {
      const first = this.#underWay.oldest()!.replace(/\?.*/, '');
      const message = `${this.#underWay.size} requests did not end within ${WAIT_MS / 1000} s, the first is ${first}; nothing was changed`;
      this.#onIdle = () => {};
      reject(new DevError(409, 'REQUESTS_UNDER_WAY', message));
    });
    this.#onIdle = () => {
      cancel();
      resolve();
    };
    return promise;
  }
}
