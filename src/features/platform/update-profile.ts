import { Type } from '../../base/json-schema.ts';
import type { Field, RawValue } from '../../contract/declare/fields.ts';
import { boolean, field } from '../../contract/declare/fields.ts';
import type { Input, Operation } from '../../contract/declare/operation.ts';
import {
  changeProfile,
  descriptionError,
  locationError,
  PROFILE_MAX,
  type ProfileChanges,
  profileUrlError,
} from './profile.ts';
import { userSchema, userToJson } from './user-json.ts';
import { displayNameError } from './user-rules.ts';

/** A text parameter of a profile; `wrong` returns the error of a text. */
function profileText(max: number, wrong: (text: string) => string | undefined): Field<string> {
  return field<string>({
    name: 'profile text',
    column: 'text',
    schema: Type.String({ maxLength: max }),
    problems: ['PROFILE_UNFIT'],
    toJson: (stored) => JSON.stringify(stored),
    read(raw: RawValue, parameter) {
      const why = typeof raw === 'string' ? wrong(raw) : 'a text is expected';
      return why === undefined ? (raw as string) : { problem: 'PROFILE_UNFIT', parameter, words: { why } };
    },
  });
}

/**
 * Changes the profile of the user of the access token. Absent parameters change nothing, empty ones clear the member.
 * @source authentication 11.5; decision 350; decision 351
 */
export const updateProfile: Operation = {
  id: 'account.update_profile',
  method: 'POST',
  path: '/1.1/account/update_profile',
  aliases: ['/1.1/account/update_profile.json'],
  description: 'Update the profile of the user that the token belongs to.',
  group: 'users',
  family: 'numeric',
  rate: 'profile_updates',
  parameters: {
    name: profileText(PROFILE_MAX.name, displayNameError).describe('1 to 50 characters.'),
    description: profileText(PROFILE_MAX.description, descriptionError).describe(
      'Up to 160 characters; empty for none.',
    ),
    url: profileText(PROFILE_MAX.url, profileUrlError).describe('URL of up to 100 characters; empty for none.'),
    location: profileText(PROFILE_MAX.location, locationError).describe('Up to 30 characters; empty for none.'),
    include_entities: boolean().defaults(1).describe('Whether the response has `entities`.'),
    skip_status: boolean().describe('Accepted without effect: responses have no post.'),
  },
  body: 'form',
  shape: 'bare',
  reply: userSchema,
  validate: ({ name }) =>
    name === null ? [{ problem: 'PROFILE_UNFIT', parameter: 'name', words: { why: displayNameError('')! } }] : [],
  problems: [],
  async perform({ principal, services, input, now, audit, recordAudit }) {
    const changes = changesOf(input);
    const event = {
      event: 'profile_changed',
      user_id: principal.user,
      application_id: principal.application,
    } as const;
    const { user, isRenamed } = await services.store.write(async (tx) => {
      const changed = (await changeProfile(tx, principal.user, changes, now))!;
      if (changed.isRenamed) await recordAudit(tx, event);
      return changed;
    });
    if (isRenamed) audit(event);
    return { data: JSON.stringify(userToJson(user, { entities: input.include_entities !== 0 })) };
  },
};

function changesOf({ name, description, location, url }: Input): ProfileChanges {
  return {
    ...(typeof name === 'string' && { name }),
    ...(description !== undefined && { description: String(description ?? '') }),
    ...(location !== undefined && { location: String(location ?? '') }),
    ...(url !== undefined && { url: url === null ? null : String(url) }),
  };
}
