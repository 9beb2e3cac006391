import type { ServerResponse } from 'node:http';
import { formatInstant, formatMillisecond, instantMs } from '../../base/instants.ts';
import { after } from '../../base/timers.ts';
import { acceptsHtml } from '../../http/routes.ts';
import { type DevCall, DevError, DevReply, devCall, invalidMember, membersOf, missingMember } from '../surface/call.ts';
import { formCall, type ToolPages } from '../surface/tool-pages.ts';
import { type Advancing, type DeferredWork, openAdvancing } from './advance.ts';
import { type ClockReply, clockPage, durationIn } from './clock-page.ts';
import type { MovableClock } from './movable-clock.ts';
import { parseDuration, parseTime } from './times.ts';

/** The dependencies of the tool. */
export interface ClockToolOptions {
  readonly clock: MovableClock;
  readonly work: DeferredWork;
  readonly pages: ToolPages;
}

/** How long a call waits for the end of an advance: the default and the maximum. */
const WAIT_MS = 25_000;
const WAIT_MS_MAX = 600_000;
/** The latest time: timestamps of signatures have ten digits. */
const LATEST_MS = Date.parse('2286-11-20T17:46:39Z');

const UNDATED = Symbol('undated');

interface DatedResponse extends ServerResponse {
  /** The original `writeHead`. */
  [UNDATED]: (this: ServerResponse, ...head: unknown[]) => ServerResponse;
}

/** Shows and moves the clock. @source decision 866, 867 */
export class ClockTool {
  readonly #clock: MovableClock;
  readonly #work: DeferredWork;
  readonly #pages: ToolPages;
  readonly #advance: Advancing;
  /**
   * Replaces `writeHead` of every reply. One function for all: a closure that is assigned to a reply keeps it in memory
   * until the next full collection.
   */
  readonly #datedHead: (this: DatedResponse, ...head: unknown[]) => ServerResponse;

  constructor({ clock, work, pages }: ClockToolOptions) {
    this.#clock = clock;
    this.#work = work;
    this.#pages = pages;
    this.#advance = openAdvancing(clock, work);
    this.#datedHead = function (...head) {
      if (clock.isMoved()) {
        this.setHeader('date', new Date(clock.now()).toUTCString());
        this.setHeader('x-barker-clock', String(offset_s(clock)));
      }
      return this[UNDATED].apply(this, head);
    };
  }

  calls(): readonly DevCall[] {
    return [
      devCall(
        'GET /_dev/clock',
        'Shows the clock, how far an advance has come, and what is due next.',
        async ({ request }) => {
          const reply = await this.#show();
          return acceptsHtml(request.headers.accept) ? clockPage(this.#pages, reply) : reply;
        },
      ),
      devCall(
        'PUT /_dev/clock',
        'Moves the clock forward at once, freezes it, or lets it run: { "now", "mode" }.',
        ({ body }) => this.#set(body),
      ),
      devCall(
        'POST /_dev/clock/advance',
        'Moves the clock forward through everything that is due: { "by" or "to", "wait_ms" }.',
        ({ body }) => this.#advanceBy(body),
      ),
      formCall(
        'clock',
        async (form) => {
          const by = durationIn(form);
          if (by !== undefined) return this.pass(by);
          this.refuseWhileAdvancing();
          this.#setMode(form.get('mode'));
        },
        async (refused) => clockPage(this.#pages, await this.#show(), refused),
      ),
    ];
  }

  /** Moves the clock forward by a duration, or begins to. @throws DevError */
  pass(by: string): Promise<boolean> {
    return this.#advanceTo(by, undefined, WAIT_MS);
  }

  /** @throws DevError during an advance */
  refuseWhileAdvancing(): void {
    const { status, until_ms } = this.#advance.progress();
    if (status !== 'advancing') return;
    const message = `the clock is advancing to ${formatMillisecond(until_ms!)}; wait for it`;
    throw new DevError(409, 'CLOCK_ADVANCING', message);
  }

  /** Sets the date of the reply to the time of the service, if its clock was moved. */
  date(response: ServerResponse): void {
    const dated = response as DatedResponse;
    dated[UNDATED] = response.writeHead as DatedResponse[typeof UNDATED];
    dated.writeHead = this.#datedHead as never;
  }

  async #show(): Promise<ClockReply> {
    const { status, until_ms, stepsDone, failure } = this.#advance.progress();
    const next = await this.#work.findNext('others');
    return {
      now: formatMillisecond(this.#clock.now()),
      mode: this.#clock.mode,
      offset_s: offset_s(this.#clock),
      status,
      until: until_ms === undefined ? null : formatMillisecond(until_ms),
      steps_done: stepsDone,
      next_due: next ? { at: formatInstant(instantMs(next.run_at)), kind: next.kind } : null,
      ...(failure !== undefined && { failure }),
    };
  }

  #set(body: unknown): Promise<ClockReply> {
    const { now, mode } = membersOf(body, ['now', 'mode'], 'body');
    if (now === undefined && mode === undefined) throw missingMember('send now, mode or both', 'now');
    if (mode !== undefined && mode !== 'frozen' && mode !== 'running') {
      throw invalidMember(`${JSON.stringify(mode)} is not frozen or running`, 'mode');
    }
    const target_ms = now === undefined ? undefined : readTime(now, 'now');
    this.refuseWhileAdvancing();
    if (target_ms !== undefined) {
      this.#refuseBackwards(target_ms, 'now');
      this.#clock.moveTo(target_ms);
    }
    this.#setMode(mode);
    return this.#show();
  }

  async #advanceBy(body: unknown): Promise<DevReply> {
    const { by, to, wait_ms = WAIT_MS } = membersOf(body, ['by', 'to', 'wait_ms'], 'body');
    if ((by === undefined) === (to === undefined)) throw missingMember('send either by or to', 'by');
    if (!Number.isInteger(wait_ms) || (wait_ms as number) < 0 || (wait_ms as number) > WAIT_MS_MAX) {
      throw invalidMember(`expected whole milliseconds from 0 to ${WAIT_MS_MAX}`, 'wait_ms');
    }
    const hasEnded = await this.#advanceTo(by, to, wait_ms as number);
    return new DevReply(hasEnded ? 200 : 202, await this.#show());
  }

  /** Starts an advance; resolves with whether it ended within `wait_ms`. */
  async #advanceTo(by: unknown, to: unknown, wait_ms: number): Promise<boolean> {
    this.refuseWhileAdvancing();
    const target_ms = by === undefined ? readTime(to, 'to') : withinRange(this.#clock.now() + readDuration(by), 'by');
    this.#refuseBackwards(target_ms, 'to');
    const hasEnded = await endsWithin(wait_ms, this.#advance.to(target_ms));
    const { failure } = this.#advance.progress();
    if (hasEnded && failure !== undefined) throw new DevError(500, 'CLOCK_ADVANCE_FAILED', failure);
    return hasEnded;
  }

  #setMode(mode: unknown): void {
    if (mode === 'frozen') this.#clock.freeze();
    if (mode === 'running') this.#clock.run();
  }

  #refuseBackwards(target_ms: number, field: string): void {
    if (target_ms >= this.#clock.now()) return;
    const now = formatMillisecond(this.#clock.now());
    throw new DevError(409, 'CLOCK_BACKWARDS', `the clock shows ${now} and goes forward only`, field);
  }
}

function offset_s(clock: MovableClock): number {
  return Math.round(clock.offset_ms() / 1000);
}

/** Resolves with whether work ends within a time. */
async function endsWithin(ms: number, work: Promise<void>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = after(ms, () => resolve(false));
  const ended = await Promise.race([work.then(() => true), promise]);
  cancel();
  return ended;
}

function readTime(value: unknown, field: string): number {
  const ms = typeof value === 'string' ? parseTime(value) : undefined;
  if (ms !== undefined) return withinRange(ms, field);
  throw invalidMember(`${JSON.stringify(value)} is not a UTC time such as 2026-03-02T09:00:00Z`, field);
}

function withinRange(ms: number, field: string): number {
  if (ms <= LATEST_MS) return ms;
  throw invalidMember(`the clock goes up to ${new Date(LATEST_MS).toISOString().slice(0, 19)}Z`, field);
}

function readDuration(value: unknown): number {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms !== undefined) return ms;
  const hint = /^P[^T]*[YM]/.test(String(value)) ? '; months and years differ in length: use days' : '';
  throw invalidMember(`${JSON.stringify(value)} is not a duration such as P7D, PT30M or P1DT2H${hint}`, 'by');
}
