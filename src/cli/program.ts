import { Command, CommanderError } from 'commander';
import { InputError, InputErrors } from '../base/input-error.ts';
import { SettingsError } from '../settings/load.ts';
import { programVersion } from '../version.ts';
import { CommandFailed, errorMessage } from './failure.ts';
import { print, printError } from './output.ts';
import { addReasons } from './reasons.ts';

/** Adds arguments, options, an example and an action to a command. */
export type ConfigureCommand = (command: Command) => void;

interface Entry {
  readonly name: string;
  readonly about: string;
  /** Loaded only when the command is run, so that others start faster. */
  load(): Promise<ConfigureCommand>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: 'dev',
    about: 'Start a development server with a demo world and ready-made keys',
    load: async () => (await import('./dev.ts')).devCommand,
  },
  {
    name: 'serve',
    about: 'Start a production server',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'migrate',
    about: 'Update the database schema',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'user',
    about: 'Manage users: create, list, show, password, profile, suspend, lock',
    load: async () => (await import('./user.ts')).userCommand,
  },
  {
    name: 'backup',
    about: 'Back up the database and media; the server may be running',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    about: 'Restore or verify a backup',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'copy',
    about: 'Copy everything to another database: SQLite to PostgreSQL or back',
    load: async () => (await import('./copy.ts')).copyCommand,
  },
  {
    name: 'app',
    about: 'Manage applications: create, list, show, edit, keys, tokens, suspend',
    load: async () => (await import('./app.ts')).appCommand,
  },
  {
    name: 'account',
    about: 'Manage advertising accounts: create, list, show, roles, features, funding, limits, approval, import',
    load: async () => (await import('./account.ts')).accountCommand,
  },
  {
    name: 'world',
    about: 'World files for development: init, schema, export',
    load: async () => (await import('./world.ts')).worldCommand,
  },
  {
    name: 'aliases',
    about: 'Files with the words of another interface: init',
    load: async () => (await import('./aliases.ts')).aliasesCommand,
  },
  {
    name: 'demo',
    about: 'Generate sample people and posts',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'import',
    about: 'Import people and posts from files',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    name: 'audience',
    about: 'Hash identifiers and upload audience members',
    load: async () => (await import('./audience.ts')).audienceCommand,
  },
  {
    name: 'events',
    about: 'Listen to events, and emit test events',
    load: async () => (await import('./events.ts')).eventsCommand,
  },
  {
    name: 'webhooks',
    about: 'Manage webhooks: check, list, deliveries, resend, secret',
    load: async () => (await import('./webhooks.ts')).webhooksCommand,
  },
  {
    name: 'publisher',
    about: 'Manage publishers, who show ads: create, list, disable, rotate',
    load: async () => (await import('./publisher.ts')).publisherCommand,
  },
  {
    name: 'operator',
    about: 'Sign in to the operator console',
    load: async () => (await import('./operator.ts')).operatorCommand,
  },
  {
    name: 'nodes',
    about: 'List the running servers of the database',
    load: async () => (await import('./nodes.ts')).nodesCommand,
  },
  {
    name: 'audit',
    about: 'List audit records: who changed what',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  {
    name: 'keys',
    about: 'Show master key usage, and re-encrypt secrets',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  { name: 'token', about: 'Create access tokens', load: async () => (await import('./token.ts')).tokenCommand },
  {
    name: 'call',
    about: 'Send a signed request',
    load: async () => (await import('./call.ts')).callCommand,
  },
  {
    name: 'sign',
    about: 'Sign a request and show each step, without sending it',
    load: async () => (await import('./sign.ts')).signCommand,
  },
  {
    name: 'doctor',
    about: 'Check settings, machine, database and addresses for problems',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'health',
    about: 'Check whether the server is ready',
    load: async () => (await import('./health.ts')).healthCommand,
  },
  { name: 'config', about: 'Print settings', load: async () => (await import('./config.ts')).configCommand },
  {
    name: 'completion',
    about: 'Print a script that completes commands and options in bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
];

/** The whole program, with every command loaded. */
export async function fullProgram(): Promise<Command> {
  const program = new Command('barker');
  for (const entry of COMMANDS) await configure(program.command(entry.name), entry);
  return program;
}

async function configure(command: Command, { about, load }: Entry): Promise<void> {
  (await load())(command.description(about));
  addReasons(command);
}

/** Runs one command; resolves with the exit code: 0 success, 1 failure, 2 usage error. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const program = new Command('barker')
    .description('A self-hosted advertising platform server.')
    .version(programVersion, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', '\nFirst steps:\n  barker dev\n  barker call GET /12/accounts')
    // What follows the name of a command is its own: some options are those of commands and of their sub-commands.
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      outputError: (text, write) => write(text.replace(/^error: /, 'barker: ')),
    })
    .exitOverride();
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).description(entry.about);
    if (argv.includes(entry.name)) await configure(command, entry);
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
