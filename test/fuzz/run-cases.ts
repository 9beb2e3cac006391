import { connect } from 'node:net';
import type { Running } from '../rig/process.ts';
import type { World } from '../rig/world.ts';
import { portOf } from './beside.ts';
import { type ControlGround, controlCalls, openControl } from './control.ts';
import { type Line, lineTo, replyIn } from './exchange.ts';
import type { Asked, Judge } from './judge.ts';
import { openPages, pageVisit } from './pages.ts';
import { rawBytes } from './raw-bytes.ts';
import { openReceivers, webhookCase } from './receivers.ts';
import { seededRandom } from './seeded-random.ts';
import { type Kind, recentThings, type Sending, type Setting } from './setting.ts';
import { signedCall } from './signed.ts';
import { prepareTemplates } from './templates.ts';
import { mediaUpload } from './uploads.ts';
import { withRetries } from './with-retries.ts';

/** The kinds of cases, and how many in a hundred are of each. */
export const KINDS: Readonly<Record<string, { readonly kind: Kind; readonly share: number }>> = {
  signed: { kind: signedCall, share: 84 },
  bytes: { kind: rawBytes, share: 6 },
  pages: { kind: pageVisit, share: 6 },
  media: { kind: mediaUpload, share: 2 },
  webhooks: { kind: webhookCase, share: 2 },
};

/** So many cases build on the same rows. */
const EPOCH = 50_000;
/** Every so many cases the control calls are made. */
const CONTROL_EVERY = 500;
const LIMIT_MS = 30_000;

/** What is run. */
export interface Plan {
  readonly seed: number;
  /** The number of the first case. */
  readonly from: number;
  /** How many requests are sent; the last case is ended. */
  readonly requests: number;
  /** A kind of cases, when it is the only one. */
  readonly only: string | undefined;
  readonly lanes: number;
}

/** Runs cases until so many requests were sent, the server is gone or something else says stop. */
export async function runCases(
  plan: Plan,
  { world, running, judge, isOver }: { world: World; running: Running; judge: Judge; isOver: () => boolean },
): Promise<void> {
  const control = await openControl(world);
  let next = plan.from;
  let gone = false;
  void running.gone.then(() => {
    gone = true;
  });
  while (judge.requests < plan.requests && !gone && !isOver()) {
    const epoch = Math.floor(next / EPOCH);
    const setting = await openSetting(world);
    const end = (epoch + 1) * EPOCH;
    const take = (): number | undefined => {
      const isEnough = judge.requests >= plan.requests || gone || isOver();
      return isEnough || next >= end ? undefined : next++;
    };
    await Promise.all(Array.from({ length: plan.lanes }, () => lane(plan, { setting, judge, control, take })));
    setting.receivers.close();
  }
}

async function openSetting(world: World): Promise<Setting> {
  const recent = recentThings();
  const templates = await prepareTemplates(world);
  const receivers = await withRetries(() => openReceivers(world));
  return { world, templates, recent, receivers, pages: await withRetries(() => openPages(world)) };
}

/** Performs one case after the other, over connections of its own. */
async function lane(
  plan: Plan,
  of: { setting: Setting; judge: Judge; control: ControlGround; take: () => number | undefined },
): Promise<void> {
  const { setting, judge, control, take } = of;
  const lines = new Map<string, Line>();
  for (let number = take(); number !== undefined; number = take()) {
    const isControl = number % CONTROL_EVERY === 0 && plan.only === undefined;
    const dice = seededRandom(plan.seed, number);
    const name = isControl ? 'control' : kindOf(plan, dice.below(100));
    const kind = isControl ? controlCalls(control) : KINDS[name]!.kind;
    const sending = sendingFor({ number, name, lines, judge });
    try {
      await kind(dice, setting, sending);
    } catch (error) {
      judge.fault({ number, kind: name, origin: '', sent: Buffer.from('\r\n\r\n') }, error);
    }
  }
  for (const line of lines.values()) line.end();
}

function kindOf({ only }: Plan, hundredth: number): string {
  if (only !== undefined) return only;
  let sum = 0;
  for (const [name, { share }] of Object.entries(KINDS)) {
    sum += share;
    if (hundredth < sum) return name;
  }
  return 'signed';
}

function sendingFor(of: { number: number; name: string; lines: Map<string, Line>; judge: Judge }): Sending {
  const { number, name: kind, lines, judge } = of;
  return {
    async send(origin, bytes, how) {
      let line = lines.get(origin);
      if (!line) {
        line = lineTo(portOf(origin));
        lines.set(origin, line);
      }
      const got = await line.ask(bytes, { method: how.method, limit_ms: LIMIT_MS });
      judge.reply({ number, kind, origin, sent: bytes, how }, got);
      return got;
    },
    say: (origin, pieces, wait_ms) =>
      say({ number, kind, origin, sent: Buffer.concat(pieces) }, pieces, wait_ms, judge),
  };
}

/** Sends pieces one after the other, and waits so long for more than one reply. */
function say(of: Asked, pieces: readonly Buffer[], wait_ms: number, judge: Judge): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(portOf(of.origin), '127.0.0.1');
    const received: Buffer[] = [];
    const finish = (): void => {
      socket.destroy();
      judge.bytes(of, repliesIn(Buffer.concat(received)));
      resolve();
    };
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', finish);
    socket.on('data', (chunk) => received.push(chunk));
    const rest = [...pieces];
    const write = (): void => {
      const piece = rest.shift();
      if (piece) socket.write(piece, () => setImmediate(write));
      else setTimeout(() => socket.destroy(), 15 + wait_ms);
    };
    socket.on('connect', write);
  });
}

function repliesIn(all: Buffer): NonNullable<ReturnType<typeof replyIn>>[] {
  const starts = [...all.toString('latin1').matchAll(/HTTP\/1\.[01] \d{3}/g)].map(({ index }) => index);
  return starts.flatMap((start) => replyIn(all.subarray(start), 'GET', true) ?? []);
}
