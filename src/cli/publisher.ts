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
import { printFields, printRow } from './output.ts';
import { databaseCommand } from './setting-options.ts';
import { type RecordedRegistrar, runRead, runWrite } from './units-of-work.ts';

/** `barker publisher`: publishers that show ads. @source decision 975 */
export function configure(command: Command): void {
  databaseCommand(
    command,
    'create <name>',
    'Register a publisher; prints its credential, which is shown only this once',
    '"Harbour News" --environment sandbox --may-explain',
    createOne,
  )
    .addOption(
      new Option('--environment <environment>', 'Whose ads it shows')
        .choices(['production', 'sandbox'])
        .default('production'),
    )
    .option('--may-explain', 'It may ask why ads lost, which tells it about bids and budgets');
  databaseCommand(command, 'list', 'List publishers', '', listPublishers);
  const disabling = 'Refuse all requests of a publisher; ads that it has already shown count';
  databaseCommand(command, 'disable <publisher-id>', disabling, '1', disableOne).option(
    '--undo',
    'Accept its requests again',
  );
  const rotating = 'Replace the credential of a publisher; the old one is refused at once';
  databaseCommand(command, 'rotate <publisher-id>', rotating, '1', rotateOne);
}

async function createOne(command: Command, name: string): Promise<void> {
  const error = publisherNameError(name);
  if (error !== undefined) throw new CommandFailed(error);
  const { environment, mayExplain = false } = command.opts<{ environment: Environment; mayExplain?: boolean }>();
  const { publisher, credential } = await runWrite(command, async (registrar) => {
    const draft = { environment, name, owner_user_id: null, may_explain: mayExplain };
    const created = await createPublisher(registrar, draft);
    registrar.addTarget('publisher', created.publisher.id);
    return created;
  });
  printFields({ publisher_id: publisher.id, environment, credential });
}

async function listPublishers(command: Command): Promise<void> {
  const rows = await runRead(command, ({ tx }) => tx.publishers.list());
  for (const { id, environment, name, disabled_at, may_explain } of rows) {
    const state = disabled_at === null ? 'active' : 'disabled';
    printRow(id, environment, state, may_explain ? 'may explain' : '-', name);
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
