import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { SnapshotReply } from '../../dev/snapshots/snapshots-page.ts';
import { CommandFailed } from '../failure.ts';
import { printFields, printTable } from '../output.ts';
import { callTools, exchangeFile, toolCommands, withDataFolder } from './call-tools.ts';

const pathOf = (name: string): `/${string}` => `/snapshots/${encodeURIComponent(name)}`;

/** `barker dev snapshot`. */
export function snapshotCommand(command: Command): void {
  const own = toolCommands(command, 'snapshot', 'list');
  const list = own('list', 'List the snapshots');
  list.action(async () => {
    const { snapshots } = await callTools<{ readonly snapshots: readonly SnapshotReply[] }>(list, 'GET', '/snapshots');
    printTable([
      ['name', 'at', 'clock', 'bytes'],
      ...snapshots.map(({ name, at, clock, bytes }) => [name, at, clock, String(bytes)]),
    ]);
  });
  const take = own('take', 'Take a snapshot; one of the same name is replaced', 'take clean');
  take.argument('<name>', 'Its name').action(async (name: string) => {
    show(await callTools(take, 'PUT', pathOf(name), {}));
  });
  const restore = own('restore', 'Go back to a snapshot', 'restore clean');
  restore.argument('<name>', 'Its name').action(async (name: string) => {
    show(await callTools(restore, 'POST', `${pathOf(name)}/restore`, {}));
  });
  const remove = own('remove', 'Remove a snapshot', 'remove clean');
  remove.argument('<name>', 'Its name').action(async (name: string) => {
    await callTools(remove, 'DELETE', pathOf(name));
  });
  const send = own('export', 'Write a snapshot to a tar archive', 'export clean clean.tar');
  send
    .argument('<name>', 'Its name')
    .argument('<file>', 'Archive to write')
    .action(async (name: string, file: string) => {
      if (existsSync(file)) throw new CommandFailed(`${file} already exists`);
      const reply = await exchangeFile(send, 'GET', `${pathOf(name)}/file`);
      try {
        await pipeline(reply, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
    });
  const receive = own('import', 'Add the snapshot of a tar archive', 'import clean.tar --name clean');
  receive
    .argument('<file>', 'Archive to read')
    .option('--name <name>', 'New name (default: the name in the archive)')
    .action(async (file: string) => {
      if (!existsSync(file)) throw new CommandFailed(`${file} does not exist`);
      const { name } = receive.opts();
      const path = `/snapshots${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}` as const;
      const reply = await exchangeFile(receive, 'POST', path, createReadStream(file));
      show(JSON.parse(await text(reply)));
    });
}

/** `barker dev reset`. */
export function resetCommand(command: Command): void {
  withDataFolder(command)
    .option('--to <state>', 'seed: the initial world; empty: users and applications only', 'seed')
    .addHelpText('after', '\nExample:\n  barker dev reset --to empty')
    .action(async () => void (await callTools(command, 'POST', '/reset', { to: command.opts().to })));
}

function show({ name, at, clock, bytes }: SnapshotReply): void {
  printFields({ name, at, clock, bytes: String(bytes) });
}
