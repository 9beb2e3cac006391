import { setPriority } from 'node:os';
import { parentPort, type Transferable, Worker, workerData } from 'node:worker_threads';
import { childEnvironment } from './children.ts';
import { after } from './timers.ts';

/** The functions of a thread; their one argument is copied unless transferred. */
// biome-ignore lint/suspicious/noExplicitAny: each function has an argument of its own
type Answers = Readonly<Record<string, (argument: any) => unknown>>;

/** A handle to a thread. */
export interface Thread<A extends Answers> {
  /** Calls a function; calls run sequentially, in order. Rejects with the error message of the thread. */
  call<N extends keyof A & string>(
    name: N,
    argument: Parameters<A[N]>[0],
    moved?: readonly Transferable[],
  ): Promise<Awaited<ReturnType<A[N]>>>;
  /** Waits for the calls in progress, then ends the thread. Later calls are rejected. */
  close(): Promise<void>;
}

interface Question {
  readonly number: number;
  readonly name: string;
  readonly argument: unknown;
}

type Reply =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: { readonly message: string; readonly stack: string | undefined } };

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Options of a thread. */
interface ThreadOptions {
  /** Scheduling niceness, 1 to 19: where cores are short, requests take precedence over work that can wait. */
  readonly niceness?: number;
  /**
   * Ends the thread after this time without calls to free its memory, for threads without expensive state. By default it
   * keeps running.
   */
  readonly idle_ms?: number;
  /** Whether an idle thread may end at that time; true by default. */
  readonly mayEnd?: () => boolean;
}

/**
 * Creates a thread that runs one of our files. It starts with the first call, keeps the process alive only during calls, and
 * restarts with the next call after it has ended; calls in progress during a crash are rejected.
 */
export function openThread<A extends Answers>(file: URL, options: ThreadOptions = {}): Thread<A> {
  const { niceness } = options;
  let worker: Worker | undefined;
  let isClosed = false;
  let last = 0;
  const pending = new Map<number, Pending>();
  const idle: (() => void)[] = [];
  let stopWaiting: (() => void) | undefined;
  const endIdle = (): void => {
    if (options.mayEnd?.() ?? true) void end();
  };
  const end = async (): Promise<void> => {
    stopWaiting?.();
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  const settled = (): void => {
    if (pending.size > 0) return;
    worker?.unref();
    if (worker && options.idle_ms !== undefined) stopWaiting = after(options.idle_ms, endIdle);
    for (const resolve of idle.splice(0)) resolve();
  };
  const start = (): Worker => {
    const started = new Worker(file, { workerData: { niceness }, env: childEnvironment() });
    const ended = (error: Error): void => {
      if (worker !== started) return;
      worker = undefined;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
      settled();
    };
    started.on('message', (reply: Reply) => {
      const asked = pending.get(reply.number);
      pending.delete(reply.number);
      if ('failure' in reply) asked?.reject(failureOf(reply.failure));
      else asked?.resolve(reply.value as never);
      settled();
    });
    started.on('messageerror', ended);
    started.on('error', ended);
    started.on('exit', (code) => ended(new Error(`the thread of ${file.pathname} ended with ${code}`)));
    return started;
  };
  return {
    call(name, argument, moved = []) {
      if (isClosed) return Promise.reject(new Error(`the thread of ${file.pathname} is closed`));
      stopWaiting?.();
      worker ??= start();
      worker.ref();
      const number = ++last;
      return new Promise((resolve, reject) => {
        // Throws when the argument cannot be cloned.
        worker!.postMessage({ number, name, argument } satisfies Question, moved);
        pending.set(number, { resolve, reject });
      });
    },
    async close() {
      isClosed = true;
      if (pending.size > 0) await new Promise<void>((resolve) => void idle.push(resolve));
      await end();
    },
  };
}

function failureOf({ message, stack }: { message: string; stack: string | undefined }): Error {
  return Object.assign(new Error(message), { stack });
}

const movedWith = new WeakMap<object, readonly Transferable[]>();

/** Marks the parts of a result that are transferred instead of copied. */
export function transferring<T extends object>(answer: T, moved: readonly Transferable[]): T {
  movedWith.set(answer, moved);
  return answer;
}

/** Handles the calls of a thread sequentially, in order; called inside it. */
export function answerCalls(answers: Answers): void {
  const port = parentPort!;
  const { niceness } = workerData as Pick<ThreadOptions, 'niceness'>;
  // On other systems it would apply to the whole process.
  if (niceness !== undefined && process.platform === 'linux') setPriority(niceness);
  let before: Promise<void> = Promise.resolve();
  port.on('message', (question: Question) => {
    before = before.then(() => reply(question));
  });
  const reply = async ({ number, name, argument }: Question): Promise<void> => {
    try {
      const value = await answers[name]!(argument);
      const moved = typeof value === 'object' && value !== null ? movedWith.get(value) : undefined;
      port.postMessage({ number, value } satisfies Reply, moved ?? []);
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      port.postMessage({ number, failure: { message, stack } } satisfies Reply);
    }
  };
}
