import { type Command, Option } from 'commander';
import type { Environment } from '../contract/declare/account-state.ts';
import type { Publisher } from '../contract/store/publishers.ts';
import {
  createPublisher,
  disablePublisher,
  publisherNameError,
  rotatePublisher,
} from '../features/delivery/serving/publisher-credentials.ts';
import { CommandFailed } from './failure.ts';
import { oneLine, print, printFields } from './output.ts';
import { onDatabase } from './setting-options.ts';
import { type RecordedRegistrar, runRead, runWrite } from './units-of-work.ts';

/** `barker publisher`: who may show ads. @source decision 975 */
export function publisherCommand(command: Command): void {
  const create = onDatabase(
    command.command('create').description('Register a publisher; prints its credential, which is shown only this once'),
    'publisher create "Harbour News" --environment sandbox --may-explain',
  );
  create
    .argument('<name>')
    .addOption(
      new Option('--environment <environment>', 'Whose ads it shows')
        .choices(['production', 'sandbox'])
        .default('production'),
    )
    .option('--may-explain', 'It may ask why ads lost, which tells it about bids and budgets')
    .action((name: string) => createOne(create, name));

  const list = onDatabase(command.command('list').description('List publishers'), 'publisher list');
  list.action(() => listPublishers(list));

  const disable = onDatabase(
    command.command('disable').description('Refuse all requests of a publisher; ads that it has already shown count'),
    'publisher disable 1',
  );
  disable
    .argument('<publisher-id>')
    .option('--undo', 'Accept its requests again')
    .action((id: string) => disableOne(disable, id));

  const rotate = onDatabase(
    command.command('rotate').description('Replace the credential of a publisher; the old one is refused at once'),
    'publisher rotate 1',
  );
  rotate.argument('<publisher-id>').action((id: string) => rotateOne(rotate, id));
}

async function createOne(command: Command, name: string): Promise<void> {
  const error = publisherNameError(name);
  if (error !== undefined) throw new CommandFailed(error);
  const { environment, mayExplain = false } = command.opts<{ environment: Environment; mayExplain?: boolean }>();
  const { publisher, credential } = await runWrite(command, async (registrar) => {
    const made = await createPublisher(registrar, {
      environment,
      name,
      owner_user_id: null,
      may_explain: mayExplain,
    });
    registrar.addTarget('publisher', made.publisher.id);
    return made;
  });
  printFields({ publisher_id: publisher.id, environment, credential });
}

async function listPublishers(command: Command): Promise<void> {
  const rows = await runRead(command, ({ tx }) => tx.publishers.list());
  for (const { id, environment, name, disabled_at, may_explain } of rows) {
    const state = disabled_at === null ? 'active' : 'disabled';
    print(`${id}\t${environment}\t${state}\t${may_explain ? 'may explain' : '-'}\t${oneLine(name)}\n`);
  }
}

async function disableOne(command: Command, id: string): Promise<void> {
  const isUndone = command.opts().undo === true;
  await onPublisher(command, id, ({ tx, now }, publisher) => disablePublisher(tx, publisher, isUndone ? null : now));
  printFields({ publisher_id: id, state: isUndone ? 'active' : 'disabled' });
}

async function rotateOne(command: Command, id: string): Promise<void> {
  const credential = await onPublisher(command, id, rotatePublisher);
  printFields({ publisher_id: id, credential });
}

function onPublisher<T>(
  command: Command,
  id: string,
  work: (registrar: RecordedRegistrar, publisher: Publisher) => Promise<T>,
): Promise<T> {
  return runWrite(command, async (registrar) => {
    const publisher = await registrar.tx.publishers.find(id);
    if (!publisher) throw new CommandFailed(`there is no publisher ${id}`);
    registrar.addTarget('publisher', id);
    return work(registrar, publisher);
  });
}
