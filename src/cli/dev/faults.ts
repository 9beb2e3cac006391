import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { ListedRule } from '../../dev/faults/rules.ts';
import { UsageError } from '../failure.ts';
import { oneLine, print, printTable } from '../output.ts';
import { callTools, toolCommands } from './call-tools.ts';

/** `barker dev faults`. */
export function faultsCommand(command: Command): void {
  const own = toolCommands(command, 'faults', 'list');
  const list = own('list', 'List the faults, and how often each was used');
  list.action(async () => {
    const { faults } = await callTools<{ readonly faults: readonly ListedRule[] }>(list, 'GET', '/faults');
    printTable([
      ['id', 'hits', 'left', 'when', 'match', 'do'],
      ...faults.map(({ id, hits, left, when, match, do: actions }) =>
        [id, String(hits), String(left ?? ''), when, JSON.stringify(match), JSON.stringify(actions)].map(oneLine),
      ),
    ]);
  });
  const add = own(
    'add',
    'Add a fault; prints its id',
    `add '{"match": {"operation": "campaigns.create"}, "when": "after", "times": 1, "do": {"reset": true}}'`,
  );
  add.argument('<rule>', 'JSON, or @file').action(async (text: string) => {
    const { id } = await callTools<{ readonly id: string }>(add, 'POST', '/faults', jsonOf(text));
    print(`${id}\n`);
  });
  const remove = own('remove', 'Remove a fault, or all of them', 'remove 1\n  barker dev faults remove --all');
  remove
    .argument('[id]', 'Its id')
    .option('--all', 'Remove all faults')
    .action(async (id: string | undefined, { all = false }: { readonly all?: boolean }) => {
      if ((id === undefined) !== all) throw new UsageError('give an id, or --all');
      const path = id === undefined ? '/faults' : (`/faults/${encodeURIComponent(id)}` as const);
      await callTools(remove, 'DELETE', path);
    });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
  } catch (error) {
    throw new UsageError(`the rule cannot be read: ${(error as Error).message}`);
  }
}
