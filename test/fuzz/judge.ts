import { checkReply } from '../rig/validation.ts';
import { curlOf } from './call.ts';
import { type Got, headerOf, type Silence } from './exchange.ts';
import type { SentHow } from './setting.ts';

/** Something that should not have happened, and the request that brought it about. */
export interface Finding {
  readonly number: number;
  readonly kind: string;
  readonly what: string;
  readonly request: string;
}

/** What a run has seen so far. */
export interface Judge {
  readonly findings: readonly Finding[];
  /** Requests by kind and what they were answered with. */
  readonly counts: ReadonlyMap<string, Map<string, number>>;
  readonly requests: number;
  reply(of: Asked, got: Got | Silence): void;
  /** What came back for bytes that are no request. */
  bytes(of: Asked, got: readonly Got[]): void;
  fault(of: Asked, error: unknown): void;
}

/** A request of a case. */
export interface Asked {
  readonly number: number;
  readonly kind: string;
  readonly origin: string;
  readonly sent: Buffer;
  readonly how?: SentHow;
}

/** Keeps count, and what is wrong; of each kind of wrong the first ten. */
export function openJudge(found: (finding: Finding) => void): Judge {
  const counts = new Map<string, Map<string, number>>();
  const findings: Finding[] = [];
  const alike = new Map<string, number>();
  let requests = 0;
  const count = (kind: string, status: string): void => {
    const own = counts.get(kind) ?? new Map<string, number>();
    counts.set(kind, own);
    own.set(status, (own.get(status) ?? 0) + 1);
    requests += 1;
  };
  const find = ({ number, kind, origin, sent }: Asked, what: string): void => {
    const seen = (alike.get(what.slice(0, 60)) ?? 0) + 1;
    alike.set(what.slice(0, 60), seen);
    if (seen > 10) return;
    const finding = { number, kind, what, request: curlOf(origin, sent) };
    findings.push(finding);
    found(finding);
  };
  return {
    findings,
    counts,
    get requests() {
      return requests;
    },
    reply(of, got) {
      if (typeof got === 'string') {
        count(of.kind, got);
        find(of, got === 'hang' ? 'no reply in time' : 'the connection was closed without a reply');
        return;
      }
      const { status, text, headers } = got;
      const isBusy = status === 503 && headerOf(got, 'retry-after') !== undefined;
      count(of.kind, isBusy ? '503 with retry-after' : String(status));
      if (status >= 500 && !isBusy) find(of, `status ${status}: ${text.slice(0, 200)}`);
      const { method, target, isPage, only } = of.how!;
      if (only && !only.includes(status)) find(of, `status ${status} instead of ${only.join(', ')}`);
      if (isPage || isStream(got)) return;
      try {
        checkReply(method, of.origin + target, status, new Headers(headers as [string, string][]), text);
      } catch (error) {
        find(of, `does not fit the description: ${(error as Error).message.slice(0, 600)}`);
      }
    },
    bytes(of, got) {
      if (got.length === 0) count(of.kind, 'closed');
      for (const { status } of got) {
        count(of.kind, String(status));
        if (status >= 500 && status !== 505) find(of, `status ${status}`);
      }
    },
    fault(of, error) {
      find(of, `the case failed: ${(error as Error).stack ?? error}`);
    },
  };
}

/** Of a stream nothing but the head is read. */
function isStream(got: Got): boolean {
  return got.status === 200 && headerOf(got, 'transfer-encoding') === 'chunked';
}
