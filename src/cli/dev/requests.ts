import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { summaryOf } from '../../dev/requests/show.ts';
import { oneLine, print, printJson, printTable } from '../output.ts';
import { callTools, exchangeFile, toolCommands } from './call-tools.ts';

type Summary = ReturnType<typeof summaryOf>;

/** The filters of the list and of the feed, by their names in calls. */
const FILTERS = ['path', 'operation', 'status', 'account', 'application', 'direction', 'kind'] as const;

/** `barker dev requests`. */
export function requestsCommand(command: Command): void {
  const own = toolCommands(command, 'requests', 'list');
  const filtered = (own: Command): Command =>
    own
      .option('--path <path>', 'Only this path; * stands for anything but slashes')
      .option('--operation <id>', 'Only this operation, such as campaigns.*')
      .option('--status <status>', 'Only this status, such as 404 or 4xx')
      .option('--account <id>', 'Only this account')
      .option('--application <name>', 'Only this application: its id, consumer key or name')
      .option('--direction <direction>', 'Only what came in, or went out: in or out')
      .option('--kind <kind>', 'Only call, other, webhook or challenge');

  const list = filtered(own('list', 'List the last requests, newest first', 'list --status 4xx'));
  list.option('--limit <count>', 'How many, up to 200').action(async () => {
    const query = queryOf(list.opts(), [...FILTERS, 'limit']);
    const { requests } = await callTools<{ readonly requests: readonly Summary[] }>(list, 'GET', `/requests${query}`);
    printTable([['id', 'at', 'status', 'ms', 'request', 'operation', 'fault'], ...requests.map(cellsOf)]);
  });
  const show = own('show', 'Show everything about a request as JSON', 'show 12');
  show.argument('<id>', 'Its id, or the transaction id of its reply').action(async (id: string) => {
    const path = `/requests/${encodeURIComponent(id)}` as const;
    printJson(await callTools(show, 'GET', path));
  });
  const tail = filtered(
    own('tail', 'Print each request when it has ended, until stopped', 'tail --operation campaigns.*'),
  );
  tail.action(async () => {
    const query = queryOf(tail.opts(), FILTERS);
    const feed = await exchangeFile(tail, 'GET', `/requests/stream${query}`);
    for await (const line of createInterface(feed)) {
      if (line.startsWith('data: '))
        print(
          `${cellsOf(JSON.parse(line.slice(6)) as Summary)
            .join('  ')
            .trimEnd()}\n`,
        );
    }
  });
}

function queryOf(options: Readonly<Record<string, string | undefined>>, names: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of names) if (options[name] !== undefined) query.set(name, options[name]);
  return query.size === 0 ? '' : `?${query}`;
}

function cellsOf(of: Summary): string[] {
  const { id, at, status, failure, duration_ms, direction, method, target, operation, event_type, faults } = of;
  const name = `${direction === 'out' ? 'sent ' : ''}${method} ${target}`;
  const outcome = String(status ?? failure ?? '...');
  const what = operation ?? event_type ?? '';
  return [id, at, outcome, String(duration_ms ?? ''), name, what, faults?.join(', ') ?? ''].map(oneLine);
}
