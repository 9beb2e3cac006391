import type { ProblemName } from '../../../src/contract/problems/problems.ts';
import { newPerson, sendForm } from '../../rig/activity.ts';
import type { Keys, Reply } from '../../rig/client.ts';
import { register, type Standing } from '../../rig/people.ts';
import { type Case, type Said, world } from './setting.ts';

const TYPING = '/1.1/direct_messages/indicate_typing.json';
const READ = '/1.1/direct_messages/mark_read.json';
const PROFILE = '/1.1/account/update_profile.json';

function one(name: ProblemName, input: string, send: () => Promise<Reply>, status: number, error: Said): Case {
  return { name, input, send, status, errors: [error] };
}

/** Posts a form as somebody new. */
const as = async (
  standing: Standing,
  path: string,
  form: (keys: Keys & { user: string }) => Record<string, string>,
): Promise<Reply> => {
  const keys = await register(world, standing);
  return sendForm(world, keys, path, form(keys));
};

const MESSAGES: Standing = { applicationLevel: 'read-write-directmessages', tokenLevel: 'read-write-directmessages' };

/** What calls about profiles and messages look for themselves. */
export const messageProblems: readonly Case[] = [
  one(
    'READ_ONLY_TOKEN',
    'a profile that is changed with a token of level read',
    () => as({ tokenLevel: 'read' }, PROFILE, () => ({ name: 'x' })),
    403,
    { code: 261, message: 'Application cannot perform write actions.' },
  ),
  one(
    'READ_ONLY_APPLICATION',
    'a profile that is changed through an application of level read',
    () => as({ tokenLevel: 'read', applicationLevel: 'read' }, PROFILE, () => ({ name: 'x' })),
    403,
    { code: 261, message: 'Application cannot perform write actions.' },
  ),
  one('PROFILE_UNFIT', 'a place of 31 characters', () => as({}, PROFILE, () => ({ location: 'x'.repeat(31) })), 403, {
    code: 120,
    message: 'Account update failed: location: a location is at most 30 characters.',
  }),
  one('NOT_DIGITS', 'a recipient that is no id', () => as(MESSAGES, TYPING, () => ({ recipient_id: 'x' })), 400, {
    code: 44,
    message: 'recipient_id parameter is invalid.',
  }),
  one(
    'MESSAGES_NOT_ALLOWED',
    'a token that does not reach messages',
    () => as({}, TYPING, () => ({ recipient_id: world.keys.user_id! })),
    403,
    { code: 93, message: 'This application is not allowed to access or delete your direct messages.' },
  ),
  one(
    'MESSAGE_TO_ONESELF',
    'a message to oneself',
    () => as(MESSAGES, TYPING, ({ user }) => ({ recipient_id: user })),
    403,
    { code: 151, message: 'There was an error sending your message: you cannot send messages to yourself' },
  ),
  one('MESSAGE_TO_NOBODY', 'a message to nobody', () => as(MESSAGES, TYPING, () => ({ recipient_id: '1' })), 403, {
    code: 108,
    message: 'Cannot find specified user.',
  }),
  one('READ_MARK_MISSING', 'nothing that was read', () => as(MESSAGES, READ, () => ({ recipient_id: '1' })), 400, {
    code: 38,
    message: 'last_read_event_id parameter is missing.',
  }),
  one(
    'MESSAGE_UNKNOWN',
    'a message that was not received',
    async () => {
      const person = await newPerson(world);
      return as(MESSAGES, READ, () => ({ recipient_id: person.user, last_read_event_id: '19' }));
    },
    404,
    { code: 34, message: 'Sorry, that page does not exist.' },
  ),
];
