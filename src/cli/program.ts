import { Command, CommanderError } from 'commander';
import { InputError } from '../base/input-error.ts';
import { SettingsError } from '../settings/load.ts';
import { programVersion } from '../version.ts';
import { CommandFailed, errorMessage } from './failure.ts';
import { print, printError } from './output.ts';

/** Gives a command its arguments, options, example and action. The action's result is the exit code. */
export type ConfigureCommand = (command: Command) => void;

interface Entry {
  readonly name: string;
  readonly about: string;
  /** Loaded only when the command is named, so that every other starts without it. */
  load(): Promise<ConfigureCommand>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: 'dev',
    about: 'Start a local service with a demo world and ready keys',
    load: async () => (await import('./dev.ts')).devCommand,
  },
  {
    name: 'serve',
    about: 'Start a service for real use',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'migrate',
    about: 'Bring the schema of the database up to date',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'user',
    about: 'Users: create, list, show, password, profile, suspend, lock',
    load: async () => (await import('./user.ts')).userCommand,
  },
  {
    name: 'backup',
    about: 'Write everything to an archive, beside a running service',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    about: 'Restore an archive, or verify it',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'copy',
    about: 'Move to another database: SQLite to PostgreSQL and back',
    load: async () => (await import('./copy.ts')).copyCommand,
  },
  {
    name: 'app',
    about: 'Applications: create, list, show, edit, keys, tokens, suspend',
    load: async () => (await import('./app.ts')).appCommand,
  },
  {
    name: 'account',
    about: 'Accounts: create, list, show, roles, features, funding, limits, approval, import',
    load: async () => (await import('./account.ts')).accountCommand,
  },
  {
    name: 'demo',
    about: 'Demo: make people and posts up',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'import',
    about: 'Import: people of the platform, posts',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    name: 'audience',
    about: 'Audiences: hash identifiers, upload people',
    load: async () => (await import('./audience.ts')).audienceCommand,
  },
  {
    name: 'events',
    about: 'Events: make them happen',
    load: async () => (await import('./events.ts')).eventsCommand,
  },
  {
    name: 'webhooks',
    about: 'Webhooks: check, list, deliveries, resend, secret',
    load: async () => (await import('./webhooks.ts')).webhooksCommand,
  },
  {
    name: 'audit',
    about: 'Audit records: list who changed what',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  {
    name: 'keys',
    about: 'Master keys: status, reseal',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  { name: 'token', about: 'Access tokens: create', load: async () => (await import('./token.ts')).tokenCommand },
  {
    name: 'call',
    about: 'Sign a request and send it',
    load: async () => (await import('./call.ts')).callCommand,
  },
  {
    name: 'sign',
    about: 'Sign a request and show every step of it',
    load: async () => (await import('./sign.ts')).signCommand,
  },
  {
    name: 'doctor',
    about: 'Check settings, machine, database and addresses before callers notice',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'health',
    about: 'Ask a running service whether it is ready',
    load: async () => (await import('./health.ts')).healthCommand,
  },
  { name: 'config', about: 'Settings: print', load: async () => (await import('./config.ts')).configCommand },
];

/** The whole program, with every command loaded. */
export async function fullProgram(): Promise<Command> {
  const program = new Command('barker');
  for (const { name, about, load } of COMMANDS) (await load())(program.command(name).description(about));
  return program;
}

/** Runs one command; resolves with the exit code: 0 done, 1 failed, 2 asked in a way that makes no sense. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const program = new Command('barker')
    .description('A self-hosted advertising platform server.')
    .version(programVersion, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help of a command')
    .addHelpText('after', '\nFirst steps:\n  barker dev\n  barker call GET /12/accounts')
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      outputError: (text, write) => write(text.replace(/^error: /, 'barker: ')),
    })
    .exitOverride();
  for (const { name, about, load } of COMMANDS) {
    const command = program.command(name).description(about);
    if (argv.includes(name)) (await load())(command);
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
  printError(`barker: ${errorMessage(error)}\n`);
  if (error instanceof CommandFailed) return error.exitCode;
  if (error instanceof InputError) return 2;
  // An unexpected error may be a bug; the debug level shows where it was thrown.
  if (process.env.BARKER_LOG_LEVEL === 'debug') {
    printError(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  return 1;
}
