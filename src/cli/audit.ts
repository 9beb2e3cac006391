import { type Command, Option } from 'commander';
import { formatMillisecond, instantMs, parseInstant } from '../base/instants.ts';
import { AUDIT_EVENTS, type AuditEvent, type AuditRecord } from '../contract/store/audit.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { CommandFailed } from './failure.ts';
import { oneLine, print } from './output.ts';
import { onDatabase } from './setting-options.ts';
import { withStore } from './units-of-work.ts';

/** `barker audit`. @source decision 590 */
export function auditCommand(command: Command): void {
  const list = command.command('list').description('List audit records, newest first');
  onDatabase(list, 'audit list --since 2026-03-01 --actor operator:barker --json')
    .option('--since <time>', 'Records since this time; ISO 8601, UTC without an offset')
    .option('--until <time>', 'Records before this time')
    .option(
      '--actor <who>',
      'Records by this user, application or operator: user:900000001, operator:barker, or the id alone',
    )
    .addOption(new Option('--event <event>', 'Records of this event').choices(Object.keys(AUDIT_EVENTS)))
    .option('--id <id>', 'Records about this object: application:12, or the id alone')
    .option('--count <n>', 'Maximum number', '100')
    .option('--json', 'Print JSON, one object a line')
    .action(() => listAudit(list));
}

interface Wanted {
  readonly since?: string;
  readonly until?: string;
  readonly actor?: string;
  readonly event?: AuditEvent;
  readonly id?: string;
  readonly count: string;
  readonly json?: true;
}

const PAGE = 1000;

async function listAudit(command: Command): Promise<void> {
  const wanted = command.opts<Wanted>();
  const count = /^\d{1,9}$/.test(wanted.count) ? Number(wanted.count) : 0;
  if (count < 1) throw new CommandFailed('--count must be a number from 1 to 999999999', 2);
  const since = timeOf('--since', wanted.since);
  const until = timeOf('--until', wanted.until);
  await withStore(command, async (store) => {
    let left = count;
    for await (const records of pages(store, { since, until, event: wanted.event })) {
      const fitting = records.filter((record) => isMeant(record, wanted)).slice(0, left);
      print(fitting.map((record) => `${wanted.json ? JSON.stringify(record) : lineOf(record)}\n`).join(''));
      left -= fitting.length;
      if (left === 0) return;
    }
  });
}

type Times = Pick<Wanted, 'since' | 'until' | 'event'>;

async function* pages(store: Store, times: { readonly [Name in keyof Times]: Times[Name] | undefined }) {
  let after: AuditRecord | undefined;
  for (;;) {
    const records = await store.read((tx) => tx.audit.listRecords({ ...times, after, limit: PAGE }));
    yield records;
    if (records.length < PAGE) return;
    after = records.at(-1);
  }
}

function timeOf(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant === undefined) throw new CommandFailed(`${flag} takes a time such as 2026-03-02T17:04:55Z`, 2);
  return formatMillisecond(instantMs(instant));
}

function isMeant({ actor, sudo_user, targets }: AuditRecord, { actor: who, id }: Wanted): boolean {
  const isActor = who === undefined || names(actor, who) || sudo_user === who;
  return isActor && (id === undefined || targets.some((each) => names(each, id)));
}

/** Whether a `kind:id` text matches, either as a whole or by the id alone. */
function names(whole: string | null, name: string): boolean {
  return whole === name || whole?.slice(whole.indexOf(':') + 1) === name;
}

function lineOf({ at, event, outcome, actor, sudo_user, origin, targets, command }: AuditRecord): string {
  const who = `${actor ?? '-'}${sudo_user === null ? '' : ` (${sudo_user})`}`;
  return [at, event, outcome, who, origin, targets.join(' ') || '-', command ?? ''].map(oneLine).join('\t').trimEnd();
}
