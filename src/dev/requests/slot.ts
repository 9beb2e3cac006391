import type { RateWindow } from '../../contract/declare/rates.ts';
import { BYTES_PER_UNIT, Entry, type EntryWindows } from './entry.ts';

/**
 * Storage for one entry. Once the entry has ended, its texts and bodies are bytes in a slab and its numbers are in this
 * object, which is reused: the garbage collector would copy objects that live as long as a thousand requests, which
 * costs more than handling the requests.
 * @source decision 911
 */
export class Slot {
  /** 0 while it is empty. */
  id = 0;
  /** The entry until it is packed. */
  live: Entry | undefined = undefined;
  // References to shared values: strings of the catalog, and the cached caller.
  direction: Entry['direction'] = 'in';
  kind: Entry['kind'] = 'other';
  environment: Entry['environment'] = undefined;
  method = '';
  httpVersion: string | undefined = undefined;
  operation: string | undefined = undefined;
  role: string | undefined = undefined;
  caller: Entry['caller'] = undefined;
  at_ms = 0;
  startedAt_ms = 0;
  duration_ms = 0;
  ended = 0;
  /** 0 for none. */
  status = 0;
  bodyBytes = 0;
  replyBytes = 0;
  slab: Slab | undefined = undefined;
  /** The offsets of the parts in the slab, which are contiguous. */
  textsAt = 0;
  bodyAt = 0;
  replyAt = 0;
  end = 0;
}

/** The size of its texts and bodies in the slab. */
export function packedBytes({ textsAt, end, slab }: Slot): number {
  return slab ? end - textsAt : 0;
}

/** Empties a slot. */
export function empty(slot: Slot, slabs: Slabs): void {
  slot.id = 0;
  slot.live = undefined;
  slot.caller = undefined;
  if (slot.slab) slabs.release(slot.slab);
  slot.slab = undefined;
}

// Neither occurs in the separated texts: HTTP heads, names, and JSON without line breaks.
const TEXTS = '\0';
const ITEMS = '\n';

/** Packs an entry that has ended into its slot. */
export function pack(slot: Slot, entry: Entry, slabs: Slabs): void {
  const { body, replyBody } = entry;
  const texts = textsOf(entry);
  // Counting bytes would take as long as writing them.
  let room = texts.length * BYTES_PER_UNIT + body.length;
  for (const part of replyBody) room += part.length * BYTES_PER_UNIT;
  const slab = slabs.take(room);
  slot.textsAt = slab.used;
  slot.bodyAt = slot.textsAt + slab.bytes.write(texts, slot.textsAt);
  if (body.length > 0) slab.bytes.set(body, slot.bodyAt);
  slot.replyAt = slot.bodyAt + body.length;
  let end = slot.replyAt;
  for (const part of replyBody) {
    if (typeof part === 'string') end += slab.bytes.write(part, end);
    else {
      slab.bytes.set(part, end);
      end += part.length;
    }
  }
  entry.counted(end - slot.replyAt);
  slot.end = end;
  slab.used = end;
  slab.entries += 1;
  slot.slab = slab;
  slot.live = undefined;
  slot.direction = entry.direction;
  slot.kind = entry.kind;
  slot.environment = entry.environment;
  slot.method = entry.method;
  slot.httpVersion = entry.httpVersion;
  slot.operation = entry.operation;
  slot.role = entry.role;
  slot.caller = entry.caller;
  slot.at_ms = entry.at_ms;
  slot.startedAt_ms = entry.startedAt_ms;
  slot.duration_ms = entry.duration_ms!;
  slot.ended = entry.ended!;
  slot.status = entry.status ?? 0;
  slot.bodyBytes = entry.bodyBytes;
  slot.replyBytes = entry.replyBytes;
}

function textsOf(entry: Entry): string {
  const { windows, statements, account = '', transactionId = '', failure = '' } = entry;
  const log = statements.count === 0 ? '' : JSON.stringify(statements);
  const heads = entry.target + TEXTS + list(entry.headers) + TEXTS + list(entry.replyHeaders) + TEXTS;
  const names = entry.parameters + TEXTS + visible(entry.ignored) + TEXTS + visible(account) + TEXTS + transactionId;
  const rest = TEXTS + failure + TEXTS + list(entry.faults) + TEXTS;
  return heads + names + rest + (windows ? windowsText(windows) : '') + TEXTS + log;
}

/** Faster than `join` for short lists. */
function list(items: readonly string[]): string {
  let text = items[0] ?? '';
  for (let at = 1; at < items.length; at += 1) text += ITEMS + items[at]!;
  return text;
}

/** Escapes separators in text that callers control. */
function visible(text: string): string {
  return text.includes(TEXTS) ? text.replaceAll(TEXTS, '\\0') : text;
}

/** Returns the entry of a slot that is not empty. */
export function entryOf(slot: Slot): Entry {
  const { live, slab, textsAt, bodyAt, replyAt, end } = slot;
  if (live) return live;
  const [target = '', headers, replyHeaders, parameters, ignored, ...others] = slab!.bytes
    .toString('utf8', textsAt, bodyAt)
    .split(TEXTS);
  const [account, transactionId, failure, faults, windows, statements] = others.map((text) => text || undefined);
  const { id, direction, kind, at_ms, startedAt_ms, environment, method, httpVersion } = slot;
  const entry = new Entry({
    id,
    direction,
    kind,
    at_ms,
    startedAt_ms,
    environment,
    method,
    httpVersion,
    target,
    headers: items(headers),
  });
  const { operation, role, caller, duration_ms, ended, status, bodyBytes, replyBytes } = slot;
  Object.assign(entry.statements, statements ? JSON.parse(statements) : { isComplete: true });
  return Object.assign(entry, {
    operation,
    role,
    caller,
    duration_ms,
    ended,
    bodyBytes,
    replyBytes,
    status: status || undefined,
    replyHeaders: items(replyHeaders),
    parameters,
    ignored,
    account,
    transactionId,
    failure,
    faults: items(faults),
    windows: windows && windowsOf(windows),
    // Copies: the slab is reused.
    body: Buffer.from(slab!.bytes.subarray(bodyAt, replyAt)),
    replyBody: [Buffer.from(slab!.bytes.subarray(replyAt, end))],
  });
}

function items(text: string | undefined): string[] {
  return text ? text.split(ITEMS) : [];
}

function windowsText({ user, account, address, isRefused }: EntryWindows): string {
  return (isRefused ? '1' : '0') + ITEMS + windowText(user) + ITEMS + windowText(account) + ITEMS + windowText(address);
}

function windowText(window: RateWindow | undefined): string {
  return window ? `${window.limit} ${window.remaining} ${window.reset}` : '';
}

function windowsOf(text: string): EntryWindows {
  const [isRefused, user = '', account = '', address = ''] = text.split(ITEMS);
  return {
    user: windowOf(user)!,
    account: windowOf(account),
    address: windowOf(address),
    isRefused: isRefused === '1',
  };
}

function windowOf(text: string): RateWindow | undefined {
  if (text === '') return undefined;
  const [limit, remaining, reset] = text.split(' ').map(Number) as [number, number, number];
  return { limit, remaining, reset };
}

/** Entries of usual size share slabs; a larger one gets its own. */
const SLAB_BYTES = 512 * 1024;

/** A block of memory that entries are packed into. */
export interface Slab {
  readonly bytes: Buffer;
  used: number;
  /** The number of entries in it. */
  entries: number;
}

/** Allocates slabs: memory outside the heap, which the garbage collector neither copies nor scans. */
export class Slabs {
  readonly #free: Slab[] = [];
  #current: Slab | undefined;

  /** Returns a slab with room for this many bytes from `used` on. */
  take(bytes: number): Slab {
    if (bytes > SLAB_BYTES) return newSlab(bytes);
    const current = this.#current;
    if (current && current.used + bytes <= SLAB_BYTES) return current;
    // Its entries may all have been released.
    if (current?.entries === 0) current.used = 0;
    else this.#current = this.#free.pop() ?? newSlab(SLAB_BYTES);
    return this.#current!;
  }

  /** Releases one entry of a slab, which is reused after the last one. */
  release(slab: Slab): void {
    slab.entries -= 1;
    if (slab.entries > 0 || slab === this.#current || slab.bytes.length !== SLAB_BYTES) return;
    slab.used = 0;
    this.#free.push(slab);
  }
}

function newSlab(bytes: number): Slab {
  return { bytes: Buffer.allocUnsafeSlow(bytes), used: 0, entries: 0 };
}
