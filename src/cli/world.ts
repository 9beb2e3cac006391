import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { ExportedWorld } from '../dev/worlds/export-world.ts';
import { CommandFailed } from './failure.ts';
import { print } from './output.ts';

/** `barker world`: files that development servers begin with. */
export function configure(command: Command): void {
  command
    .command('init')
    .description('Write a world file with comments, to begin with')
    .argument('[file]', 'File to write', 'world.yaml')
    .addHelpText('after', '\nExample:\n  barker world init')
    .action((file: string) => {
      if (existsSync(file)) throw new CommandFailed(`${file} already exists`);
      writeFileSync(file, starter(file), { flag: 'wx' });
    });
  command
    .command('schema')
    .description('Print the JSON Schema of world files')
    .addHelpText('after', '\nExample:\n  barker world schema > world.schema.json')
    .action(async () => {
      const { schemaText } = await import('./dev/start-world.ts');
      print(schemaText());
    });
  const send = command.command('export').description('Write the present world of a running development server');
  send
    .argument('<file>', 'File to write')
    .option('--data <folder>', 'Data folder of the development server', process.env.BARKER_DATA_FOLDER || './data')
    .option('--with-keys', 'Also write keys, tokens and their secrets, and the ids of accounts')
    .addHelpText('after', '\nExample:\n  barker world export world.yaml --with-keys')
    .action((file: string) => exportTo(send, file));
}

/** The schema of the package, which is not below the folder of its code. */
const schemaFile = (): string =>
  resolve(dirname(fileURLToPath(import.meta.url)), '../../docs/generated/world.schema.json');
const STARTER = new URL('../dev/worlds/starter.yaml', import.meta.url);

/** The starter, with the way from its file to the schema, which editors follow. */
function starter(file: string): string {
  return readFileSync(STARTER, 'utf8').replace('$schema=./world.schema.json', `$schema=${schemaPath(file)}`);
}

function schemaPath(file: string): string {
  const way = relative(dirname(resolve(file)), schemaFile())
    .split(sep)
    .join('/');
  return way.startsWith('.') ? way : `./${way}`;
}

async function exportTo(command: Command, file: string): Promise<void> {
  if (existsSync(file)) throw new CommandFailed(`${file} already exists`);
  const { yamlText } = await import('../dev/worlds/yaml-text.ts');
  const { callTools } = await import('./dev/call-tools.ts');
  const path = command.opts().withKeys ? '/world?with_keys=true' : '/world';
  const { world, left_out } = await callTools<ExportedWorld>(command, 'GET', path);
  const notes = [
    `yaml-language-server: $schema=${schemaPath(file)}`,
    ...left_out.map((what) => `Not in this file: ${what}.`),
  ];
  const text = `${notes.map((note) => `# ${note}\n`).join('')}\n${yamlText(world)}`;
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
}
