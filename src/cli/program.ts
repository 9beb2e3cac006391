import { Command, CommanderError } from 'commander';
import { InputError, InputErrors } from '../base/input-error.ts';
import { SettingsError } from '../settings/load.ts';
import { programVersion } from '../version.ts';
import { CommandFailed, errorMessage } from './failure.ts';
import { print, printError } from './output.ts';
import { addReasons } from './reasons.ts';

/** Adds arguments, options, an example and an action to a command. */
export type ConfigureCommand = (command: Command) => void;

/** The commands by name. Their code is loaded only when they run, so that others start faster. */
const COMMANDS: Readonly<Record<string, readonly [about: string, load: () => Promise<ConfigureCommand>]>> = {
  dev: [
    'Start a development server with a demo world and ready-made keys',
    async () => (await import('./dev.ts')).devCommand,
  ],
  serve: ['Start a production server', async () => (await import('./serve.ts')).serveCommand],
  migrate: ['Update the database schema', async () => (await import('./migrate.ts')).migrateCommand],
  user: [
    'Manage users: create, list, show, password, profile, suspend, lock',
    async () => (await import('./user.ts')).userCommand,
  ],
  backup: [
    'Back up the database and media; the server may be running',
    async () => (await import('./backup.ts')).backupCommand,
  ],
  restore: ['Restore or verify a backup', async () => (await import('./restore.ts')).restoreCommand],
  copy: [
    'Copy everything to another database: SQLite to PostgreSQL or back',
    async () => (await import('./copy.ts')).copyCommand,
  ],
  app: [
    'Manage applications: create, list, show, edit, keys, tokens, suspend',
    async () => (await import('./app.ts')).appCommand,
  ],
  account: [
    'Manage advertising accounts: create, list, show, roles, features, funding, limits, approval, import',
    async () => (await import('./account.ts')).accountCommand,
  ],
  world: ['World files for development: init, schema, export', async () => (await import('./world.ts')).worldCommand],
  aliases: [
    'Files with the words of another interface: init',
    async () => (await import('./aliases.ts')).aliasesCommand,
  ],
  demo: ['Generate sample people and posts', async () => (await import('./demo.ts')).demoCommand],
  import: ['Import people and posts from files', async () => (await import('./import.ts')).importCommand],
  audience: [
    'Hash identifiers and upload audience members',
    async () => (await import('./audience.ts')).audienceCommand,
  ],
  events: ['Listen to events, and emit test events', async () => (await import('./events.ts')).eventsCommand],
  webhooks: [
    'Manage webhooks: check, list, deliveries, resend, secret',
    async () => (await import('./webhooks.ts')).webhooksCommand,
  ],
  publisher: [
    'Manage publishers, who show ads: create, list, disable, rotate',
    async () => (await import('./publisher.ts')).publisherCommand,
  ],
  operator: ['Sign in to the operator console', async () => (await import('./operator.ts')).operatorCommand],
  nodes: ['List the running servers of the database', async () => (await import('./nodes.ts')).nodesCommand],
  audit: ['List audit records: who changed what', async () => (await import('./audit.ts')).auditCommand],
  keys: ['Show master key usage, and re-encrypt secrets', async () => (await import('./keys.ts')).keysCommand],
  token: ['Create access tokens', async () => (await import('./token.ts')).tokenCommand],
  call: ['Send a signed request', async () => (await import('./call.ts')).callCommand],
  sign: ['Sign a request and show each step, without sending it', async () => (await import('./sign.ts')).signCommand],
  doctor: [
    'Check settings, machine, database and addresses for problems',
    async () => (await import('./doctor.ts')).doctorCommand,
  ],
  health: ['Check whether the server is ready', async () => (await import('./health.ts')).healthCommand],
  config: ['Print settings', async () => (await import('./config.ts')).configCommand],
  completion: [
    'Print a script that completes commands and options in bash, zsh or fish',
    async () => (await import('./completion.ts')).completionCommand,
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
    // Options belong to the command that they follow: commands and their sub-commands share names of options.
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
