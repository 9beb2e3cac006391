import { type Command, Option } from 'commander';
import { isObject } from '../base/objects.ts';
import type { User } from '../contract/store/credentials.ts';
import { type Direction, EVENT_TYPES, eventUuid } from '../contract/store/events.ts';
import { resolveType } from '../features/activity/event-types.ts';
import { InvalidEventDraft } from '../features/activity/test-events.ts';
import type { ReadTransaction } from '../storage/unit-of-work.ts';
import { runRecorded } from './command-record.ts';
import { listenCommand } from './events/listen.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { printFields } from './output.ts';
import { addSettings } from './setting-options.ts';
import { withStore } from './units-of-work.ts';

/** `barker events`. */
export function configure(command: Command): void {
  listenCommand(command);
  const emit = command
    .command('emit')
    .description('Emit a test event to subscribers; nothing else changes')
    .argument('<type>', `Event type: ${EVENT_TYPES.join(', ')}`)
    .requiredOption('--user <user-name>', 'User that the event is about, by name or id')
    .option('--with <user-name>', 'The other user of a message event')
    .option('--text <text>', 'Message text, new profile value, or title of a Space')
    .option('--before <text>', 'Old profile value')
    .option('--about <id>', 'Id of the message, of the last message read, or of the Space')
    .addOption(
      new Option('--direction <word>', 'Direction from the point of view of the user').choices(['sent', 'received']),
    )
    .option('--payload <json>', 'Payload, instead of one built from the options above')
    .option('--count <n>', 'Number of identical events', '1');
  addSettings(emit, 'serve', ['data_folder', 'database_url'])
    .addHelpText(
      'after',
      '\nExamples:\n  barker events emit profile.update.bio --user ada --before "Old bio" --text "New bio"\n  barker events emit dm.received --user ben --with ada --text "Hello" --about 7301234567890200000\n  barker events emit spaces.start --user ada --about 1exampleSpAce --text "Late jazz"',
    )
    .action((type: string) => emitEvents(emit, type));
}

interface EmitOptions extends Partial<Record<'with' | 'text' | 'before' | 'about' | 'payload', string>> {
  readonly user: string;
  readonly direction?: Direction;
  readonly count: string;
}

const COUNT_MAX = 1_000_000;
/** Events per unit of work. */
const TOGETHER = 500;

/**
 * Appends test events to the log. Needs no master key, because no secret is read or sealed.
 * @source decision 330, 355
 */
async function emitEvents(command: Command, name: string): Promise<void> {
  const input = command.opts<EmitOptions>();
  const type = resolveType(name)?.type;
  if (type === undefined) throw new UsageError(`unknown event type ${name}; expected one of ${EVENT_TYPES.join(', ')}`);
  const count = /^\d+$/.test(input.count) ? Number(input.count) : 0;
  if (count < 1 || count > COUNT_MAX) throw new UsageError(`--count must be a number from 1 to ${COUNT_MAX}`);
  const payload = input.payload === undefined ? undefined : objectOf(input.payload);
  const { eventFromDraft } = await import('../features/activity/test-events.ts');
  const { formatInstant } = await import('../base/instants.ts');
  try {
    const { first, last } = await withStore(command, (store, clock) =>
      runRecorded(command, { store, clock }, async (addTarget) => {
        let first = 0;
        let last = 0;
        for (let left = count; left > 0; left -= TOGETHER) {
          const now_ms = clock.now();
          const positions = await store.write(async (tx) => {
            const user = await userNamed(tx, input.user);
            addTarget('user', user.id);
            const other = input.with === undefined ? undefined : await userNamed(tx, input.with);
            const event = await eventFromDraft(tx, { ...input, event_type: type, user, other, payload }, now_ms);
            return tx.events.appendInPlace(Array(Math.min(left, TOGETHER)).fill(event), formatInstant(now_ms));
          });
          first ||= positions[0]!;
          last = positions.at(-1)!;
        }
        return { first, last };
      }),
    );
    printFields({ event_uuid: eventUuid(first), ...(count > 1 && { last_event_uuid: eventUuid(last) }) });
  } catch (error) {
    if (error instanceof InvalidEventDraft) throw new UsageError(`${error.message}; see --help`);
    throw error;
  }
}

function objectOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return JSON.stringify(value);
  } catch {
    // Reported below.
  }
  throw new UsageError('--payload must be a JSON object');
}

/** A user by name, or by id if no user has that name. */
async function userNamed(tx: ReadTransaction, name: string): Promise<User> {
  const user = (await tx.credentials.findUserByName(name)) ?? (await tx.credentials.findUser(name));
  if (!user) throw new CommandFailed(`there is no user ${name}`);
  return user;
}
