import type { Span, UsedRequest } from './ledger.ts';

/** How long what a node has logged may be on its way. */
const LOG_MAX_MS = 2000;

/** When nodes had no Redis, as they log it, and when Redis forgot everything. */
export interface RedisLosses {
  /** Hears what a node logs, which has just been started, and when it has ended. */
  listen(): (line: string | undefined) => void;
  /** Redis has just lost its keys. */
  forgot(): void;
  /**
   * Whether a read that was answered may be answered again by another node: Redis has forgotten it, or when it was answered
   * first, or again, a node had no Redis, and asked the database instead.
   * @source decision 747
   */
  mayRepeat(first: UsedRequest, again: Span): Promise<boolean>;
}

/** Nobody has lost Redis yet. */
export function openRedisLosses(): RedisLosses {
  const losses: { from_ms: number; until_ms: number }[] = [];
  let forgottenUntil_ms = 0;
  const overlaps = (span: Span): boolean =>
    losses.some(({ from_ms, until_ms }) => from_ms <= span.until_ms && until_ms >= span.from_ms);
  return {
    listen() {
      let loss: { from_ms: number; until_ms: number } | undefined;
      return (line) => {
        if (line === undefined && loss) loss.until_ms = Math.min(loss.until_ms, Date.now());
        if (line === undefined || !/"message":"Redis (un)?available/.test(line)) return;
        const { time, message } = JSON.parse(line) as { time: string; message: string };
        if (message.startsWith('Redis unavailable')) {
          loss = { from_ms: Date.parse(time), until_ms: Number.POSITIVE_INFINITY };
          losses.push(loss);
        } else if (loss) loss.until_ms = Date.parse(time);
      };
    },
    forgot() {
      forgottenUntil_ms = Date.now();
    },
    async mayRepeat(first, again) {
      const isExcused = (): boolean => first.from_ms <= forgottenUntil_ms || overlaps(first) || overlaps(again);
      for (const deadline_ms = performance.now() + LOG_MAX_MS; !isExcused() && performance.now() < deadline_ms; ) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return isExcused();
    },
  };
}
