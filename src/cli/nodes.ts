import type { Command } from 'commander';
import { DEAD_AFTER_S, type StoredNode, shortNodeId } from '../contract/store/nodes.ts';
import { printJson, printTable } from './output.ts';
import { addSettings } from './setting-options.ts';
import { withStore } from './units-of-work.ts';

/** `barker nodes`: the running servers of a database. */
export function configure(command: Command): void {
  addSettings(command, 'serve', ['data_folder', 'database_url'])
    .option('--json', 'Print JSON')
    .addHelpText(
      'after',
      '\nWith PostgreSQL, servers are listed that have stored a heartbeat in the last 10 s.\n\nExample:\n  barker nodes --json',
    )
    .action(() => listNodes(command));
}

async function listNodes(command: Command): Promise<void> {
  const nodes = await withStore(command, (store) => store.read((tx) => tx.nodes.listLive('', DEAD_AFTER_S)));
  const described = nodes.map(describeNode);
  if (command.opts().json) return printJson(described);
  const rows = described.map(({ id, host, roles, version, schema_level, master_keys, started_at }) => [
    ...[shortNodeId(id), host, roles.join(' '), version, schema_level, master_keys.join(' '), started_at],
  ]);
  printTable([['NODE', 'HOST', 'ROLES', 'VERSION', 'SCHEMA', 'MASTER KEYS', 'STARTED'], ...rows]);
}

/** A node without secrets; its current master key comes first. */
function describeNode(node: StoredNode) {
  const { id, hostname, roles, version, schema_level, master_keys, started_at, heartbeat_at } = node;
  const keyIds = master_keys === '' ? [] : master_keys.split(' ').map((key) => key.split(':', 1)[0]!);
  return {
    id,
    host: hostname,
    roles: roles === '' ? [] : roles.split(','),
    version,
    schema_level,
    master_keys: keyIds,
    started_at,
    heartbeat_at,
  };
}
