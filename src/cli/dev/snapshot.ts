import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { CommandFailed } from '../failure.ts';
import { printFields, printTable } from '../output.ts';
import { callTools, exchangeFile } from './call-tools.ts';

/** A snapshot as the calls show it. */
interface ShownSnapshot {
  readonly name: string;
  readonly at: string;
  readonly clock: string;
  readonly bytes: number;
}

const DATA = ['--data <folder>', 'Data folder of the development server'] as const;
const dataFolder = (): string => process.env.BARKER_DATA_FOLDER || './data';
const pathOf = (name: string): `/${string}` => `/snapshots/${encodeURIComponent(name)}`;

/** `barker dev snapshot`. */
export function snapshotCommand(command: Command): void {
  const own = (name: string, about: string, example = name): Command =>
    command
      .command(name, { isDefault: name === 'list' })
      .description(about)
      .option(...DATA, dataFolder())
      .addHelpText('after', `\nExample:\n  barker dev snapshot ${example}`);

  const list = own('list', 'List the snapshots');
  list.action(async () => {
    const { snapshots } = (await callTools(list.opts().data, { method: 'GET', path: '/snapshots' })) as {
      readonly snapshots: readonly ShownSnapshot[];
    };
    printTable([
      ['name', 'at', 'clock', 'bytes'],
      ...snapshots.map(({ name, at, clock, bytes }) => [name, at, clock, String(bytes)]),
    ]);
  });
  const take = own('take', 'Take a snapshot; one of the same name is replaced', 'take clean');
  take.argument('<name>', 'Its name').action(async (name: string) => {
    show(await callTools(take.opts().data, { method: 'PUT', path: pathOf(name), body: {} }));
  });
  const restore = own('restore', 'Go back to a snapshot', 'restore clean');
  restore.argument('<name>', 'Its name').action(async (name: string) => {
    show(await callTools(restore.opts().data, { method: 'POST', path: `${pathOf(name)}/restore`, body: {} }));
  });
  const remove = own('remove', 'Remove a snapshot', 'remove clean');
  remove.argument('<name>', 'Its name').action(async (name: string) => {
    await callTools(remove.opts().data, { method: 'DELETE', path: pathOf(name) });
  });
  const send = own('export', 'Write a snapshot to a tar archive', 'export clean clean.tar');
  send
    .argument('<name>', 'Its name')
    .argument('<file>', 'Archive to write')
    .action(async (name: string, file: string) => {
      if (existsSync(file)) throw new CommandFailed(`${file} already exists`);
      const reply = await exchangeFile(send.opts().data, { method: 'GET', path: `${pathOf(name)}/file` });
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
    .option('--name <name>', 'Its name; the one that it had if omitted')
    .action(async (file: string) => {
      if (!existsSync(file)) throw new CommandFailed(`${file} does not exist`);
      const { data, name } = receive.opts();
      const path = `/snapshots${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}` as const;
      const reply = await exchangeFile(data, { method: 'POST', path, content: createReadStream(file) });
      show(JSON.parse(await text(reply)));
    });
}

/** `barker dev reset`. */
export function resetCommand(command: Command): void {
  command
    .option(...DATA, dataFolder())
    .option('--to <state>', 'seed: how the world began; empty: users and applications only', 'seed')
    .addHelpText('after', '\nExample:\n  barker dev reset --to empty')
    .action(async () => {
      const { data, to } = command.opts();
      await callTools(data, { method: 'POST', path: '/reset', body: { to } });
    });
}

function show(snapshot: unknown): void {
  const { name, at, clock, bytes } = snapshot as ShownSnapshot;
  printFields({ name, at, clock, bytes: String(bytes) });
}
