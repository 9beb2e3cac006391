import { after } from '../../base/timers.ts';
import type { Part } from '../../features/audiences/uploads/people-parts.ts';
import { sign } from '../../features/auth/oauth1/signature.ts';
import { buildRequest, type ConnectionProfile, protocolParameters } from '../connection-profile.ts';
import { CommandFailed, errorMessage } from '../failure.ts';
import { printError } from '../output.ts';
import { type Reply, send } from '../send.ts';

const TRIES = 8;
const WAIT_MAX_S = 60;
/** Maximum number of printed errors of a refused request. */
const ERRORS_MAX = 10;

/**
 * Sends a request with people, and retries while the server is busy or unreachable, or has not taken all of them: people
 * who are uploaded twice count once. Errors of a refused request name the lines of the file.
 */
export async function sendWithRetry(
  { caller, path }: { readonly caller: ConnectionProfile; readonly path: string },
  { operations, lines }: Pick<Part, 'operations' | 'lines'>,
): Promise<void> {
  const json = JSON.stringify(operations);
  const people = lines.flat().length;
  for (let tries = 1; ; tries++) {
    const outcome = await attempt(caller, path, json);
    const taken = outcome instanceof Error || outcome.status !== 200 ? undefined : takenOf(outcome);
    if (taken === people) return;
    const wait_s = tries < TRIES ? waitOf(outcome, tries) : undefined;
    if (wait_s === undefined && taken !== undefined) throw new CommandFailed(partText(taken, people));
    if (wait_s === undefined) throw outcome instanceof Error ? outcome : new CommandFailed(refusalOf(outcome, lines));
    const why =
      taken !== undefined
        ? partText(taken, people)
        : outcome instanceof Error
          ? errorMessage(outcome)
          : `the server answered ${outcome.status}`;
    printError(`${why}; retrying in ${wait_s} s\n`);
    await new Promise<void>((resolve) => void after(wait_s * 1000, resolve));
  }
}

async function attempt(caller: ConnectionProfile, path: string, json: string): Promise<Reply | Error> {
  const request = { ...buildRequest('POST', path, caller, {}), json };
  const { header } = sign({
    ...request,
    oauth: protocolParameters(caller.keys),
    consumerSecret: caller.keys.consumer_secret,
    tokenSecret: caller.keys.access_token_secret,
  });
  return send(request, header, caller.tlsCa).catch((error: Error) => error);
}

const partText = (taken: number, sent: number): string => `the server took ${taken} of ${sent} people`;

/** How many people the server has taken, as it says. */
function takenOf({ body }: Reply): number {
  try {
    return Number((JSON.parse(body) as { data: { success_count: unknown } }).data.success_count);
  } catch {
    return 0;
  }
}

/** Seconds to wait before a retry; undefined if the error is permanent. */
function waitOf(outcome: Reply | Error, tries: number): number | undefined {
  if (!(outcome instanceof Error)) {
    if (outcome.status !== 200 && outcome.status !== 429 && outcome.status < 500) return undefined;
    const retryAfter_s = Number(outcome.headers.find(([name]) => name === 'retry-after')?.[1]);
    if (retryAfter_s > 0) return Math.min(retryAfter_s, WAIT_MAX_S);
  }
  return Math.min(2 ** (tries - 1), WAIT_MAX_S);
}

interface ApiError {
  readonly message: string;
  readonly parameter?: string;
  readonly details?: string;
}

function refusalOf({ status, body }: Reply, lines: Part['lines']): string {
  let all: (ApiError & { readonly line?: number | undefined })[] = [];
  try {
    const { errors = [], operation_errors = [] } = JSON.parse(body) as {
      errors?: ApiError[];
      operation_errors?: ApiError[][];
    };
    const ofPeople = operation_errors.flatMap((each, operation) =>
      each.map((error) => {
        const [, index] = /^users\[(\d+)\]/.exec(error.parameter ?? '') ?? [];
        return { ...error, line: lines[operation]?.[Number(index)] };
      }),
    );
    all = [...errors, ...ofPeople];
  } catch {
    // A proxy may answer in another format.
  }
  const messages = all.slice(0, ERRORS_MAX).map(({ message, line, details }) => {
    return `${line === undefined ? '' : `line ${line}: `}${message}${details ? ` (${details})` : ''}`;
  });
  return [`the server answered ${status}`, ...messages].join('; ');
}
