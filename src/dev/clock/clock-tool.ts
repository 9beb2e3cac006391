import type { ServerResponse } from 'node:http';
import { formatMillisecond } from '../../base/instants.ts';
import { after } from '../../base/timers.ts';
import { acceptsHtml } from '../../http/accept-header.ts';
import { type DevCall, DevError, DevReply } from '../surface/call.ts';
import { membersOf } from '../surface/members.ts';
import { backTo, type ToolPages } from '../surface/tool-pages.ts';
import { type DeferredWork, openAdvancing, shownJob } from './advance.ts';
import { CLOCK_FORM, clockPage } from './clock-page.ts';
import type { MovableClock } from './movable-clock.ts';
import { parseDuration, parseTime } from './times.ts';

/** What the tool is made of. */
export interface ClockToolOptions {
  readonly clock: MovableClock;
  readonly work: DeferredWork;
  readonly pages: ToolPages;
}

/** The calls that show and move the clock. */
export interface ClockTool {
  readonly calls: readonly DevCall[];
  /** The same call, refused during an advance. */
  refuseWhileAdvancing(call: DevCall): DevCall;
  /** Dates the reply, from whatever code, by the clock of the service if that was moved. */
  date(response: ServerResponse): void;
}

/** How long a call for an advance waits for its end unless it says otherwise, and at most. */
const WAIT_MS = 25_000;
const WAIT_MS_MAX = 600_000;
/** The latest time: signatures have timestamps of ten digits. */
const LATEST_MS = Date.parse('2286-11-20T17:46:39Z');

const UNDATED = Symbol('undated');

interface DatedResponse extends ServerResponse {
  /** What writes the head otherwise. */
  [UNDATED]: (this: ServerResponse, ...head: unknown[]) => ServerResponse;
}

/** Makes the calls for a clock. @source decision 866, 867 */
export function clockTool({ clock, work, pages }: ClockToolOptions): ClockTool {
  const advancing = openAdvancing(clock, work);

  // Each reply calls it last, also where a reply takes long. One function for all replies: a closure that is assigned
  // to one keeps it in memory until the next full collection.
  function datedHead(this: DatedResponse, ...head: unknown[]): ServerResponse {
    if (clock.isMoved()) {
      this.setHeader('date', new Date(clock.now()).toUTCString());
      this.setHeader('x-barker-clock', String(offset_s(clock)));
    }
    return this[UNDATED].apply(this, head);
  }

  const show = async () => {
    const { status, until_ms, stepsDone: steps_done, failure } = advancing.progress();
    return {
      now: formatMillisecond(clock.now()),
      mode: clock.mode,
      offset_s: offset_s(clock),
      status,
      until: until_ms === undefined ? null : formatMillisecond(until_ms),
      steps_done,
      next_due: shownJob(await work.findNext('others')),
      ...(failure !== undefined && { failure }),
    };
  };
  const refuseWhileAdvancing = (): void => {
    const { status, until_ms } = advancing.progress();
    if (status !== 'advancing') return;
    throw new DevError(
      409,
      'CLOCK_ADVANCING',
      `the clock is advancing to ${formatMillisecond(until_ms!)}; wait for it`,
    );
  };
  const refuseBackwards = (target_ms: number, field: string): void => {
    if (target_ms >= clock.now()) return;
    const shown = formatMillisecond(clock.now());
    throw new DevError(409, 'CLOCK_BACKWARDS', `the clock shows ${shown} and goes forward only`, field);
  };

  /** Moves the clock as a call or a form says. Resolves with whether it is there already. */
  const advance = async (by: unknown, to: unknown, wait_ms: number): Promise<boolean> => {
    refuseWhileAdvancing();
    const target_ms = by === undefined ? readTime(to, 'to') : notTooLate(clock.now() + readDuration(by), 'by');
    refuseBackwards(target_ms, 'to');
    const ended = await endsWithin(wait_ms, advancing.to(target_ms));
    const { failure } = advancing.progress();
    if (ended && failure !== undefined) throw new DevError(500, 'CLOCK_ADVANCE_FAILED', failure);
    return ended;
  };
  const setMode = (mode: unknown): void => {
    if (mode === 'frozen') clock.freeze();
    if (mode === 'running') clock.run();
  };

  const calls: readonly DevCall[] = [
    {
      ...{ method: 'GET', path: '/_dev/clock' },
      about: 'Shows the clock, how far an advance has come, and what is due next.',
      async perform({ request }) {
        const shown = await show();
        return acceptsHtml(request.headers.accept) ? clockPage(pages, shown) : shown;
      },
    },
    {
      ...{ method: 'PUT', path: '/_dev/clock' },
      about: 'Moves the clock forward at once, freezes it, or lets it run: { "now", "mode" }.',
      perform({ body }) {
        const { now, mode } = membersOf(body, ['now', 'mode'], 'body');
        if (now === undefined && mode === undefined) throw missing('send now, mode or both', 'now');
        if (mode !== undefined && mode !== 'frozen' && mode !== 'running') {
          throw invalid(`${JSON.stringify(mode)} is not frozen or running`, 'mode');
        }
        const target_ms = now === undefined ? undefined : readTime(now, 'now');
        refuseWhileAdvancing();
        if (target_ms !== undefined) {
          refuseBackwards(target_ms, 'now');
          clock.moveTo(target_ms);
        }
        setMode(mode);
        return show();
      },
    },
    {
      ...{ method: 'POST', path: '/_dev/clock/advance' },
      about: 'Moves the clock forward through everything that is due: { "by" or "to", "wait_ms" }.',
      async perform({ body }) {
        const { by, to, wait_ms = WAIT_MS } = membersOf(body, ['by', 'to', 'wait_ms'], 'body');
        if ((by === undefined) === (to === undefined)) throw missing('send either by or to', 'by');
        if (!Number.isInteger(wait_ms) || (wait_ms as number) < 0 || (wait_ms as number) > WAIT_MS_MAX) {
          throw invalid(`expected whole milliseconds from 0 to ${WAIT_MS_MAX}`, 'wait_ms');
        }
        const ended = await advance(by, to, wait_ms as number);
        return new DevReply(ended ? 200 : 202, await show());
      },
    },
    {
      ...{ method: 'POST', path: CLOCK_FORM, takesForm: true },
      about: 'Does what a form of the page of the clock says.',
      async perform({ body }) {
        const form = body as URLSearchParams;
        const by = form.get('step') ?? form.get('by')?.trim();
        try {
          if (by !== undefined) await advance(by, undefined, WAIT_MS);
          else {
            refuseWhileAdvancing();
            setMode(form.get('mode'));
          }
          return backTo('clock');
        } catch (error) {
          if (!(error instanceof DevError)) throw error;
          const { status, message } = error;
          return clockPage(pages, await show(), { status, wrong: `${message}.`, by: by ?? '' });
        }
      },
    },
  ];

  return {
    calls,
    refuseWhileAdvancing: (call) => ({
      ...call,
      perform(request) {
        refuseWhileAdvancing();
        return call.perform(request);
      },
    }),
    date(response) {
      const dated = response as DatedResponse;
      dated[UNDATED] = response.writeHead as DatedResponse[typeof UNDATED];
      dated.writeHead = datedHead as never;
    },
  };
}

function offset_s(clock: MovableClock): number {
  return Math.round(clock.offset_ms() / 1000);
}

/** Whether work ends within a time. */
async function endsWithin(ms: number, work: Promise<void>): Promise<boolean> {
  let callOff = (): void => {};
  const late = new Promise<boolean>((resolve) => {
    callOff = after(ms, () => resolve(false));
  });
  const ended = await Promise.race([work.then(() => true), late]);
  callOff();
  return ended;
}

function readTime(value: unknown, field: string): number {
  const ms = typeof value === 'string' ? parseTime(value) : undefined;
  if (ms !== undefined) return notTooLate(ms, field);
  throw invalid(`${JSON.stringify(value)} is not a UTC time such as 2026-03-02T09:00:00Z`, field);
}

function notTooLate(ms: number, field: string): number {
  if (ms <= LATEST_MS) return ms;
  throw invalid(`the clock goes up to ${new Date(LATEST_MS).toISOString().slice(0, 19)}Z`, field);
}

function readDuration(value: unknown): number {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms !== undefined) return ms;
  const hint = /^P[^T]*[YM]/.test(String(value)) ? '; months and years differ in length: use days' : '';
  throw invalid(`${JSON.stringify(value)} is not a duration such as P7D, PT30M or P1DT2H${hint}`, 'by');
}

function missing(message: string, field: string): DevError {
  return new DevError(400, 'MEMBER_MISSING', message, field);
}

function invalid(message: string, field: string): DevError {
  return new DevError(400, 'MEMBER_INVALID', message, field);
}
