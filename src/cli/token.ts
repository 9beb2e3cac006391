import { type Command, Option } from 'commander';
import { ACCESS_LEVELS, type AccessLevel } from '../contract/store/credentials.ts';
import { issueToken } from '../features/platform/registration.ts';
import { CommandFailed } from './failure.ts';
import { printFields } from './output.ts';
import { databaseCommand } from './setting-options.ts';
import { requireApplication, requireUser, runWrite } from './units-of-work.ts';

/** `barker token create`. */
export function configure(command: Command): void {
  const example = '--app PcFZ1pQkS3WbXgY7mUo2aRt9L --user ada';
  databaseCommand(command, 'create', 'Create an access token without a browser login', example, createToken)
    .requiredOption('--app <consumer-key>', 'Application of the token')
    .requiredOption('--user <user-name>', 'User of the token')
    .addOption(new Option('--level <level>', 'Access level (default: that of the application)').choices(ACCESS_LEVELS));
}

async function createToken(command: Command): Promise<void> {
  const options = command.opts<{ app: string; user: string; level?: AccessLevel }>();
  const issued = await runWrite(command, async (registrar) => {
    const application = await requireApplication(registrar.tx, options.app);
    const user = await requireUser(registrar.tx, options.user);
    const level = options.level ?? application.access_level;
    if (ACCESS_LEVELS.indexOf(level) > ACCESS_LEVELS.indexOf(application.access_level)) {
      throw new CommandFailed(`the access level of the application is only ${application.access_level}`);
    }
    registrar.addTarget('application', application.id);
    registrar.addTarget('user', user.id);
    const token = await issueToken(registrar, { application: application.id, user: user.id, level });
    registrar.addTarget('token', token.id);
    return { ...token, user: user.id };
  });
  printFields({ user_id: issued.user, access_token: issued.token, access_token_secret: issued.tokenSecret });
}
