import { itemsOf } from '../../contract/declare/fields.ts';
import type { Input } from '../../contract/declare/operation.ts';
import type { ApplicationDraft } from '../../contract/store/credentials.ts';
import { EMPTY_DRAFT, validateDraft } from '../../features/auth/applications/application-draft.ts';
import {
  descriptionError,
  displayNameError,
  emailError,
  locationError,
  profileUrlError,
  userNameError,
} from '../../features/platform/profile.ts';
import { DEMO_APPLICATION } from '../demo-application.ts';
import type { Complaints } from './checker.ts';
import type { Described, Entry, World, WorldApplication } from './world.ts';

const textOf = (input: Input, name: string): string | undefined =>
  input[name] === undefined || input[name] === null ? undefined : String(input[name]);

/** The names of a user: display name and login. */
export function namesOf({ key, input }: Described): { readonly username: string; readonly name: string } {
  const username = textOf(input, 'username') ?? key;
  return { username, name: textOf(input, 'name') ?? username };
}

/** The application to register; members that are left out are those of the demo world. */
export function draftOf({ key, input }: WorldApplication): ApplicationDraft {
  const members = Object.keys(EMPTY_DRAFT) as (keyof ApplicationDraft)[];
  const values = members.flatMap((name) => {
    const value = input[name];
    if (value === undefined || value === null) return [];
    return [[name, name === 'callbacks' ? itemsOf(String(value)) : value] as const];
  });
  return {
    ...DEMO_APPLICATION,
    name: key,
    description: '',
    ...Object.fromEntries(values),
  } as ApplicationDraft;
}

/** Keys and tokens go into headers as they are. */
const CREDENTIAL = /^[\w-]+$/;

/** Complains of users and applications that pages and commands would refuse, and of what two may not have in common. */
export function checkIdentities(
  { users, applications, accounts }: World,
  { complaints, schemes }: { readonly complaints: Complaints; readonly schemes: readonly string[] },
): void {
  const add = (of: Entry, member: string, message: string | undefined): void => {
    if (message === undefined) return;
    const place = of.members.get(member);
    if (place) complaints.add(place, message);
    else complaints.add(of.at, message, member);
  };
  const unique = <T extends Entry>(all: readonly T[], member: string, read: (of: T) => string | undefined): void => {
    const seen = new Map<string, string>();
    for (const each of all) {
      const value = read(each);
      if (value === undefined) continue;
      const first = seen.get(value.toLowerCase());
      if (first !== undefined) add(each, member, `${value} is that of ${first} too`);
      else seen.set(value.toLowerCase(), each.key);
    }
  };
  for (const user of users) {
    const { username, name } = namesOf(user);
    const [email, description, location, url] = ['email', 'description', 'location', 'url'].map((each) =>
      textOf(user.input, each),
    );
    add(user, 'username', userNameError(username));
    add(user, 'name', displayNameError(name));
    add(user, 'email', email === undefined ? undefined : emailError(email));
    add(user, 'description', description === undefined ? undefined : descriptionError(description));
    add(user, 'location', location === undefined ? undefined : locationError(location));
    add(user, 'url', url === undefined ? undefined : profileUrlError(url));
  }
  unique(users, 'username', (user) => namesOf(user).username);
  for (const application of applications) {
    for (const { member, message } of validateDraft(draftOf(application), { schemes, registered: [] })) {
      add(application, member, message);
    }
    checkCredentials(application, ['consumer_key', 'consumer_secret'], add);
    for (const token of application.tokens ?? []) {
      checkCredentials(token, ['access_token', 'access_token_secret'], add);
    }
  }
  unique(applications, 'name', (each) => draftOf(each).name);
  unique(applications, 'consumer_key', ({ input }) => textOf(input, 'consumer_key'));
  const tokens = applications.flatMap((each) => each.tokens ?? []);
  unique(tokens, 'access_token', ({ input }) => textOf(input, 'access_token'));
  unique(accounts, 'id', ({ members }) => {
    const id = members.get('id')?.value;
    return typeof id === 'string' ? id : undefined;
  });
}

function checkCredentials(
  of: Described,
  names: readonly string[],
  add: (of: Described, member: string, message: string) => void,
): void {
  for (const name of names) {
    const value = textOf(of.input, name);
    if (value !== undefined && !CREDENTIAL.test(value)) {
      add(of, name, 'expected letters, digits, hyphens and underscores');
    }
  }
}
