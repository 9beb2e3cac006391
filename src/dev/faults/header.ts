import { DevError } from '../surface/call.ts';
import { readActions } from './read-rule.ts';
import type { FaultRule } from './rules.ts';

/** The header that asks for a fault of one request. */
export const FAULT_HEADER = 'x-barker-fault';

/** Where each word of the header stands in a rule; `undefined` when it stands alone. */
const WORDS: Readonly<Record<string, (value: string | undefined) => Readonly<Record<string, unknown>>>> = {
  delay: (value) => ({ delay: { ms: milliseconds('delay', value) } }),
  reset: () => ({ reset: true }),
  rate_limited: (value) => ({ rate_limited: value === undefined ? true : { retry_after_s: number(value) } }),
  close: (value) => ({ close: { after_bytes: number(value) ?? 0 } }),
  truncate: (value) => ({ truncate: { fraction: number(value) } }),
  malformed: () => ({ malformed: true }),
  partial_success: (value) => ({ partial_success: { n: number(value) } }),
  dribble: (value) => {
    const [, chunks, over] = /^(?:(\d+)\/)?(\d+(?:ms|s)?)$/.exec(value ?? '') ?? [];
    return { dribble: { chunks: number(chunks), over_ms: milliseconds('dribble', over) } };
  },
  stall: (value) => ({ stall: { after_events: number(value) } }),
  drop_mid_object: (value) => ({ drop_mid_object: { after_events: number(value) } }),
  no_heartbeat: () => ({ no_heartbeat: true }),
};

/** Of the reply that `status` asks for. */
const REPLY_WORDS = ['status', 'code', 'message', 'retry_after'];

/**
 * Reads `status=503; delay=200ms; when=after`.
 * @throws DevError
 */
export function faultOfHeader(header: string): FaultRule {
  const actions: Record<string, unknown> = {};
  const reply: Record<string, unknown> = {};
  let when: FaultRule['when'] = 'before';
  for (const piece of header.split(';').filter((each) => each.trim() !== '')) {
    const [, word = '', value] = /^\s*([a-z_]+)\s*(?:=\s*(.*?))?\s*$/i.exec(piece) ?? [];
    if (word === 'when') {
      if (value !== 'before' && value !== 'after') throw unreadable('when is before or after');
      when = value;
    } else if (REPLY_WORDS.includes(word)) {
      const isNumber = word !== 'message' && /^\d+$/.test(value ?? '');
      reply[word === 'retry_after' ? 'retry_after_s' : word] = isNumber ? Number(value) : value;
    } else if (Object.hasOwn(WORDS, word)) {
      Object.assign(actions, WORDS[word]!(value));
    } else {
      const known = ['when', ...REPLY_WORDS, ...Object.keys(WORDS)].join(', ');
      throw unreadable(`"${piece.trim()}" is none of ${known}`);
    }
  }
  if (Object.keys(reply).length > 0) actions.reply = reply;
  return {
    id: 'header',
    match: {},
    when,
    skip: 0,
    every: 1,
    times: undefined,
    probability: 1,
    seed: 0,
    for_s: undefined,
    do: readActions(actions, { jobKinds: [] }),
  };
}

function milliseconds(word: string, value: string | undefined): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(value ?? '') ?? [];
  if (count === undefined) throw unreadable(`${word} is a time such as 200ms or 2s`);
  return Number(count) * (unit === 's' ? 1000 : 1);
}

function number(value: string | undefined): unknown {
  return value === undefined || !/^\d+(?:\.\d+)?$/.test(value) ? value : Number(value);
}

function unreadable(message: string): DevError {
  return new DevError(400, 'FAULT_UNREADABLE', message, FAULT_HEADER);
}
