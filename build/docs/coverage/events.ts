import { EVENT_TYPES, type EventType } from '../../../src/contract/store/events.ts';

/** One statement of the document about events or recorded changes. */
export interface EventItem {
  readonly what: string;
  /** How it is implemented here. */
  readonly how: string;
  /**
   * Operations that implement it; while one of them is missing, it is reported as not yet served. Empty if it is no
   * call.
   */
  readonly operations: readonly string[];
  /** The test file that covers it. */
  readonly test: string;
}

const COMMAND = 'test/commands/events.test.ts';
const MESSAGES = 'test/resources/messages.test.ts';

/** How events of each type arise, the operations that cause them, and the test that covers it. */
const CAUSES: Readonly<Record<EventType, readonly [how: string, operations: readonly string[], test: string]>> = {
  'profile.update.bio': ['a profile is changed by a call, page or command', ['account.update_profile'], COMMAND],
  'profile.update.verified': ['`barker user profile --verified`', [], COMMAND],
  'profile.update.affiliate': ['`barker user profile --affiliate`', [], COMMAND],
  'profile.update.screenname': ['`/settings/profile`, `barker user profile --handle`', [], COMMAND],
  'dm.received': ['a message', ['messages.send'], MESSAGES],
  'dm.sent': ['a message', ['messages.send'], MESSAGES],
  'dm.read': ['messages that are marked as read', ['messages.mark_read'], MESSAGES],
  'dm.indicate_typing': ['typing', ['messages.indicate_typing'], MESSAGES],
  'spaces.start': ['`barker events emit`', [], COMMAND],
  'spaces.end': ['`barker events emit`', [], COMMAND],
};

const EVENTS = 'test/resources/activity-events.test.ts';
const SUBSCRIPTIONS = 'test/resources/subscriptions.test.ts';

/** Every row of "Events" and of the recorded changes, value by value. @source activity 0.1, 0.2 */
export const EVENT_ITEMS: readonly EventItem[] = [
  ...EVENT_TYPES.map((type): EventItem => {
    const [how, operations, test] = CAUSES[type];
    return { what: `Event type ${type}`, how: `${how}; any by \`barker events emit\``, operations, test };
  }),
  {
    what: 'Deprecated type names',
    how: 'taken, stored under the dot-separated name, answered with `Deprecation`, `Link`, and from 2026-03-18 on `x-api-warn`',
    operations: ['subscriptions.create'],
    test: SUBSCRIPTIONS,
  },
  {
    what: 'Filter by user id',
    how: 'the user whom an event is about',
    operations: ['subscriptions.create'],
    test: EVENTS,
  },
  {
    what: 'Filter by keyword',
    how: 'whole words, in any letter case; anywhere in scripts that put no blanks between words',
    operations: ['subscriptions.create'],
    test: EVENTS,
  },
  {
    what: 'Filter by direction',
    how: '`sent`, `received` or `both`',
    operations: ['subscriptions.create'],
    test: MESSAGES,
  },
  {
    what: 'Delivery over a stream',
    how: 'every event of the log that matches, in its order',
    operations: ['activity.stream'],
    test: 'test/resources/activity-stream.test.ts',
  },
  {
    what: 'Delivery by webhooks',
    how: 'signed, tried again, at least once',
    operations: ['webhooks.create', 'subscriptions.create'],
    test: 'test/resources/webhooks.test.ts',
  },
  {
    what: 'Subscriptions managed',
    how: 'made, listed, changed, ended one by one and together',
    operations: [
      'subscriptions.create',
      'subscriptions.list',
      'subscriptions.update',
      'subscriptions.remove',
      'subscriptions.remove_many',
    ],
    test: SUBSCRIPTIONS,
  },
  {
    what: 'Change of 2026-03-25: replay at its new path',
    how: 'both paths do the same; the old one says that it is deprecated',
    operations: ['webhooks.replay', 'account_activity.replay'],
    test: 'test/resources/replay.test.ts',
  },
  {
    what: 'Change of 2026-03-18: names of event types',
    how: 'see the deprecated type names',
    operations: ['subscriptions.create'],
    test: 'test/resources/activity-settings.test.ts',
  },
];

/** The recorded change that affects nothing that is served. @source activity 0.2 */
export const OUTSIDE =
  'The filtered streaming endpoints of versions 1.1 and 2 (the third recorded change: the older is deprecated in favour of the newer) have no path in the two documents and are not served: requests for them get 404, like any unknown path.';
