import { hostname, userInfo } from 'node:os';
import type { Command, Option } from 'commander';
import type { Clock } from '../base/clock.ts';
import { formatMillisecond } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import { type AuditOutcome, type AuditRecord, withReason } from '../contract/store/audit.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { REASON_FLAG } from './reasons.ts';
import { isSettingOption } from './setting-options.ts';

/** Kinds of objects that commands change. */
type TargetKind =
  | 'user'
  | 'application'
  | 'token'
  | 'account'
  | 'funding_instrument'
  | 'feature'
  | 'webhook'
  | 'publisher'
  | 'operator'
  | 'event'
  | 'people'
  | 'posts'
  | 'schema'
  | 'secrets'
  | 'database'
  | 'archive';

/** Adds an object to the audit record; without an id, everything of the kind. */
export type AddTarget = (kind: TargetKind, id?: string) => void;

/** The audit record of a command while it runs. */
export interface CommandRecord {
  readonly addTarget: AddTarget;
  /** The audit record with the targets so far. */
  withOutcome(outcome: AuditOutcome): AuditRecord;
}

/** Maximum number of recorded targets. */
const TARGETS_MAX = 100;

/** Starts the audit record of a command: operator, host and command line. `now` is in Unix milliseconds. */
export function commandRecord(command: Command, now: number): CommandRecord {
  const targets = new Set<string>();
  const about = {
    id: secureRandom.bytes(8).toString('hex'),
    at: formatMillisecond(now),
    event: 'command' as const,
    actor: `operator:${operator()}`,
    sudo_user: process.env.SUDO_USER?.slice(0, 64) || null,
    origin: hostname(),
    transaction_id: null,
    command: wordsOf(command),
  };
  return {
    addTarget: (kind, id) => void targets.add(id === undefined ? kind : `${kind}:${id}`),
    withOutcome: (outcome) => ({ ...about, outcome, targets: [...targets].slice(0, TARGETS_MAX) }),
  };
}

/** The user of the operating system, or the user id if it has no name, as in containers. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/**
 * The command with its options except settings. Values are recorded only if they are numbers or from a fixed list: any
 * other may be secret or personal.
 * @source decision 593
 */
function wordsOf(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  const input = command.options.filter(
    (option) => !isSettingOption(option) && command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  return [...names, ...input.flatMap((option) => optionWords(option, command.opts()[option.attributeName()]))].join(
    ' ',
  );
}

const NUMBER_ARGUMENT = /<(n|micros|n\|default)>/;

function optionWords({ long, flags, argChoices }: Option, value: unknown): string[] {
  if (long === REASON_FLAG) return [withReason('', String(value)).trimStart()];
  const isRecorded =
    argChoices?.includes(String(value)) || (NUMBER_ARGUMENT.test(flags) && /^(\d{1,16}|default)$/.test(String(value)));
  return isRecorded ? [long!, String(value)] : [long!];
}

/** The database and clock of a long command. */
interface Recording {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
}

/**
 * Runs a command of many units of work. Its audit record is stored before the work, and updated with the outcome; if
 * the process is killed, it stays `begun`.
 * @source decision 592, 594
 */
export async function runRecorded<T>(
  command: Command,
  { store, clock }: Recording,
  work: (addTarget: AddTarget) => Promise<T>,
): Promise<T> {
  const record = commandRecord(command, clock.now());
  await store.write((tx) => tx.audit.append([record.withOutcome('begun')]));
  try {
    const result = await work(record.addTarget);
    await store.write((tx) => tx.audit.end(record.withOutcome('done')));
    return result;
  } catch (error) {
    // The error is reported even if it cannot be recorded.
    await store.write((tx) => tx.audit.end(record.withOutcome('failed'))).catch(() => undefined);
    throw error;
  }
}
