import { runCommand } from './cli/program.ts';

// Whatever a command writes belongs to its user alone.
process.umask(0o077);
// Who reads the output may have seen enough of it, as `head` does.
process.stdout.on('error', () => process.exit(0));
process.exitCode = await runCommand(process.argv.slice(2));
