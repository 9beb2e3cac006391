import { runCommand } from './cli/program.ts';

// Files that a command writes are readable by its user alone.
process.umask(0o077);
// A reader such as `head` may close the pipe early.
process.stdout.on('error', () => process.exit(0));
process.exitCode = await runCommand(process.argv.slice(2));
