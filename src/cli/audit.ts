import { type Command, Option } from 'commander';
import { formatMillisecond } from '../base/instants.ts';
import { AUDIT_EVENTS, type AuditEvent, type AuditRecord } from '../contract/store/audit.ts';
import { parseCount, parseTimeOption } from './failure.ts';
import { printLine, printRow } from './output.ts';
import { databaseCommand } from './setting-options.ts';
import { withStore } from './units-of-work.ts';

/** `barker audit`. @source decision 590 */
export function configure(command: Command): void {
  const example = '--since 2026-03-01 --actor operator:barker --json';
  databaseCommand(command, 'list', 'List audit records, newest first', example, listAudit)
    .option('--since <time>', 'Records since this time; ISO 8601, UTC without an offset')
    .option('--until <time>', 'Records before this time')
    .option(
      '--actor <who>',
      'Records by this user, application or operator: user:900000001, operator:barker, or the id alone',
    )
    .addOption(new Option('--event <event>', 'Records of this event').choices(Object.keys(AUDIT_EVENTS)))
    .option('--id <id>', 'Records about this object: application:12, or the id alone')
    .option('--count <n>', 'Maximum number', '100')
    .option('--json', 'Print JSON, one object a line');
}

interface Filter {
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
  const filter = command.opts<Filter>();
  let left = parseCount(filter.count, 999_999_999);
  const [since, until] = [timeOf('--since', filter.since), timeOf('--until', filter.until)];
  await withStore(command, async (store) => {
    for (let after: AuditRecord | undefined; ; ) {
      const query = { since, until, event: filter.event, after, limit: PAGE };
      const records = await store.read((tx) => tx.audit.listRecords(query));
      const matches = records.filter((record) => isMatch(record, filter)).slice(0, left);
      for (const record of matches) filter.json ? printLine(JSON.stringify(record)) : printRecord(record);
      left -= matches.length;
      if (left === 0 || records.length < PAGE) return;
      after = records.at(-1);
    }
  });
}

function timeOf(flag: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : formatMillisecond(parseTimeOption(flag, text));
}

function isMatch({ actor, sudo_user, targets }: AuditRecord, { actor: who, id }: Filter): boolean {
  const isActor = who === undefined || names(actor, who) || sudo_user === who;
  return isActor && (id === undefined || targets.some((each) => names(each, id)));
}

/** Tests a `kind:id` text against a whole one, or against an id alone. */
function names(whole: string | null, name: string): boolean {
  return whole === name || whole?.slice(whole.indexOf(':') + 1) === name;
}

function printRecord({ at, event, outcome, actor, sudo_user, origin, targets, command }: AuditRecord): void {
  const who = `${actor ?? '-'}${sudo_user === null ? '' : ` (${sudo_user})`}`;
  printRow(at, event, outcome, who, origin, targets.join(' ') || '-', command ?? '');
}
