import { type Command, Option } from 'commander';
import { ACCESS_LEVELS, type AccessLevel } from '../contract/store/credentials.ts';
import { CommandFailed } from './failure.ts';
import { printFields } from './output.ts';
import { onDatabase } from './setting-options.ts';
import { requireApplication, requireUser, runWrite } from './units-of-work.ts';

/** `barker token create`. */
export function tokenCommand(command: Command): void {
  const create = command.command('create').description('Create an access token without a browser login');
  create
    .requiredOption('--app <consumer-key>', 'Application of the token')
    .requiredOption('--user <user-name>', 'User of the token')
    .addOption(new Option('--level <level>', 'Access level (default: that of the application)').choices(ACCESS_LEVELS));
  onDatabase(create, 'token create --app PcFZ1pQkS3WbXgY7mUo2aRt9L --user ada').action(() => createToken(create));
}

async function createToken(command: Command): Promise<void> {
  const options = command.opts<{ app: string; user: string; level?: AccessLevel }>();
  const { issueToken } = await import('../features/platform/registration.ts');
  const made = await runWrite(command, async (registrar) => {
    const application = await requireApplication(registrar.tx, options.app);
    const user = await requireUser(registrar.tx, options.user);
    const level = options.level ?? application.access_level;
    if (ACCESS_LEVELS.indexOf(level) > ACCESS_LEVELS.indexOf(application.access_level)) {
      throw new CommandFailed(`the access level of the application is only ${application.access_level}`);
    }
    registrar.addTarget('application', application.id);
    registrar.addTarget('user', user.id);
    const issued = await issueToken(registrar, { application: application.id, user: user.id, level });
    registrar.addTarget('token', issued.id);
    return { ...issued, user: user.id };
  });
  printFields({ user_id: made.user, access_token: made.token, access_token_secret: made.tokenSecret });
}
