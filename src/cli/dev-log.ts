import type { Logger } from 'pino';
import { openLog } from '../http/log.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly duration_ms?: number;
  readonly transaction_id?: string;
  readonly because?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/** The log of development mode: the same entries as in production, as readable sentences. */
export function devLog(level: string, write: (line: string) => void): Logger {
  return openLog(level, { write: (line) => write(`${sentence(JSON.parse(line) as Line, level === 'debug')}\n`) });
}

function sentence(line: Line, withStack: boolean): string {
  if (line.status === undefined) {
    const reason = line.err?.message ?? line.because;
    return reason ? `${line.message}: ${reason}` : line.message;
  }
  const what = `${line.status} ${line.method} ${line.route ?? `(${line.message})`}`;
  const why = line.err ? (withStack ? line.err.stack : line.err.message) : line.because;
  const time = line.duration_ms === undefined ? '' : `${line.duration_ms} ms, `;
  return `${what}${why ? `: ${why}` : ''} (${time}${line.transaction_id})`;
}
