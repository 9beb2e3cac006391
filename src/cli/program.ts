import { Command, CommanderError } from 'commander';
import { InputError, InputErrors } from '../base/input-error.ts';
import { SettingsError } from '../settings/load.ts';
import { programVersion } from '../version.ts';
import { CommandFailed, errorMessage } from './failure.ts';
import { print, printError } from './output.ts';
import { addReasonOptions } from './reasons.ts';

/** The module of a command, which adds arguments, options, an example and an action to it. */
interface CommandModule {
  configure(command: Command): void;
}

/** The commands by name. Their code is loaded only when they run, so that others start faster. */
const COMMANDS: Readonly<Record<string, readonly [about: string, load: () => Promise<CommandModule>]>> = {
  dev: ['Start a development server with a demo world and ready-made keys', () => import('./dev.ts')],
  serve: ['Start a production server', () => import('./serve.ts')],
  migrate: ['Update the database schema', () => import('./migrate.ts')],
  user: ['Manage users: create, list, show, password, profile, suspend, lock', () => import('./user.ts')],
  backup: ['Back up the database and media; the server may be running', () => import('./backup.ts')],
  restore: ['Restore or verify a backup', () => import('./restore.ts')],
  copy: ['Copy everything to another database: SQLite to PostgreSQL or back', () => import('./copy.ts')],
  app: ['Manage applications: create, list, show, edit, keys, tokens, suspend', () => import('./app.ts')],
  account: [
    'Manage advertising accounts: create, list, show, roles, features, funding, limits, approval, import',
    () => import('./account.ts'),
  ],
  world: ['World files for development: init, schema, export', () => import('./world.ts')],
  aliases: ['Alias files for the vocabulary of another API: init', () => import('./aliases.ts')],
  demo: ['Generate sample people and posts', () => import('./demo.ts')],
  import: ['Import people and posts from files', () => import('./import.ts')],
  audience: ['Hash identifiers and upload audience members', () => import('./audience.ts')],
  events: ['Listen to events, and emit test events', () => import('./events.ts')],
  webhooks: ['Manage webhooks: check, list, deliveries, resend, secret', () => import('./webhooks.ts')],
  publisher: ['Manage publishers, who show ads: create, list, disable, rotate', () => import('./publisher.ts')],
  operator: ['Sign in to the operator console', () => import('./operator.ts')],
  nodes: ['List the running servers of the database', () => import('./nodes.ts')],
  audit: ['List audit records: who changed what', () => import('./audit.ts')],
  keys: ['Show master key usage, and re-encrypt secrets', () => import('./keys.ts')],
  token: ['Create access tokens', () => import('./token.ts')],
  call: ['Send a signed request', () => import('./call.ts')],
  sign: ['Sign a request and show each step, without sending it', () => import('./sign.ts')],
  doctor: ['Check settings, machine, database and addresses for problems', () => import('./doctor.ts')],
  health: ['Check whether the server is ready', () => import('./health.ts')],
  config: ['Print settings', () => import('./config.ts')],
  completion: [
    'Print a script that completes commands and options in bash, zsh or fish',
    () => import('./completion.ts'),
  ],
};

/** The whole program, with every command loaded. */
export async function fullProgram(): Promise<Command> {
  const program = new Command('barker');
  for (const name of Object.keys(COMMANDS)) await configure(program.command(name), name);
  return program;
}

async function configure(command: Command, name: string): Promise<void> {
  const [about, load] = COMMANDS[name]!;
  (await load()).configure(command.description(about));
  addReasonOptions(command);
}

/** Runs a command and returns its exit code: 0 success, 1 failure, 2 usage error. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const program = new Command('barker')
    .description('A self-hosted advertising platform server.')
    .version(programVersion, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', '\nFirst steps:\n  barker dev\n  barker call GET /12/accounts')
    // Commands and their subcommands have options of the same name.
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      outputError: (text, write) => write(text.replace(/^error: /, 'barker: ')),
    })
    .exitOverride();
  for (const [name, [about]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(about);
    if (argv.includes(name)) await configure(command, name);
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof SettingsError) {
    for (const problem of error.problems) printError(`barker: ${problem}\n`);
    return 2;
  }
  if (error instanceof InputErrors) {
    for (const each of error.errors) printError(`barker: ${each}\n`);
    return 2;
  }
  printError(`barker: ${errorMessage(error)}\n`);
  if (error instanceof CommandFailed) return error.exitCode;
  if (error instanceof InputError) return 2;
  // An unexpected error may be a bug; the debug level shows where it was thrown.
  if (process.env.BARKER_LOG_LEVEL === 'debug') {
    printError(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  return 1;
}
