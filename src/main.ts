import { runCommand } from './cli/program.ts';
import { keepYoungSpaceSmall } from './cli/young-objects.ts';

// Files that a command writes are readable by its user alone.
process.umask(0o077);
// A reader such as `head` may close the pipe early.
process.stdout.on('error', () => process.exit(0));
const argv = process.argv.slice(2);
if (argv[0] === 'dev' || argv[0] === 'serve') keepYoungSpaceSmall();
process.exitCode = await runCommand(argv);
