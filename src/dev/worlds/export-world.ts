import { formatInstant, formatMillisecond } from '../../base/instants.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { Application, User } from '../../contract/store/credentials.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import { accounts } from '../../features/ads/accounts.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import { readLiveRows } from '../../features/ads/administration/apply-plan.ts';
import { draftOf } from '../../features/auth/applications/application-draft.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { DEMO_APPLICATION } from '../demo-application.ts';
import { exportAccount, type Members, membersOfRow } from './export-account.ts';
import { APPLICATION_FIELDS, type Operations, USER_FIELDS } from './sections.ts';

/** The dependencies of an export. */
export interface ExportParts {
  readonly services: Services;
  readonly operations: Operations;
  readonly accountInput: AccountInput;
}

/** The contents of a world file, and what could not be exported. */
export interface ExportedWorld {
  readonly world: Members;
  readonly left_out: readonly string[];
}

const ROWS_MAX = 100_000;

/**
 * Exports the present world. With keys it has the consumer keys, tokens and their secrets, and the ids of accounts;
 * passwords are stored as hashes only.
 * @source decision 903
 */
export async function exportWorld(
  { services, operations, accountInput }: ExportParts,
  { withKeys }: { readonly withKeys: boolean },
): Promise<ExportedWorld> {
  const now_ms = services.clock.now();
  return services.store.read(async (tx) => {
    const left = new Set<string>();
    const people = namesFor('users');
    const users = (await tx.credentials.listUsers({ after: '', limit: ROWS_MAX })).sort(
      (a, b) => Number(a.id) - Number(b.id),
    );
    const names = new Map(users.map(({ id, screen_name }) => [id, people.name(id, screen_name)]));
    const own: Members = {};
    for (const row of await readLiveRows(tx, accounts, undefined)) {
      const sections = new Map<string, Names>();
      const namesOf = (section: string): Names => {
        const made = sections.get(section) ?? namesFor(section);
        sections.set(section, made);
        return made;
      };
      own[people.name(`account ${row.id}`, String(row.name))] = await exportAccount(row, {
        tx,
        operations,
        accountInput,
        users: names,
        withKeys,
        namesOf,
        now: formatInstant(now_ms),
        resources: services.resources,
        leaveOut: (what) => void left.add(what),
      });
    }
    return {
      world: {
        clock: formatMillisecond(now_ms).replace('.000Z', 'Z'),
        users: Object.fromEntries(users.map((user) => [names.get(user.id)!, userMembers(user, names)])),
        applications: await exportApplications(tx, services, { names, withKeys }),
        ...(Object.keys(own).length > 0 && { accounts: own }),
      },
      left_out: [...left].sort(),
    };
  });
}

function userMembers(user: User, names: ReadonlyMap<string, string>): Members {
  const { username, password, verified_type, ...fields } = USER_FIELDS;
  const members = membersOfRow(user as unknown as Members, fields);
  for (const name of ['description', 'location']) if (members[name] === '') delete members[name];
  return {
    ...(names.get(user.id) !== user.screen_name && { username: user.screen_name }),
    ...members,
    ...(user.verified_type !== 'none' && { verified_type: user.verified_type }),
  };
}

async function exportApplications(
  tx: ReadTransaction,
  { box }: Pick<Services, 'box'>,
  { names, withKeys }: { readonly names: ReadonlyMap<string, string>; readonly withKeys: boolean },
): Promise<Members> {
  const found = await tx.credentials.listApplications({ after: '', limit: ROWS_MAX });
  // The one of the demo world is the first of a file.
  const sorted = found.sort((a, b) => b.demo - a.demo || Number(a.id) - Number(b.id));
  const keys = namesFor('applications');
  const members: Members = {};
  for (const application of sorted) {
    const own = applicationMembers(application, names);
    const tokens: Members = {};
    for (const user of names.keys()) {
      for (const token of await tx.credentials.findLiveTokens(user, application.id)) {
        tokens[names.get(user)!] = {
          ...(token.access_level !== application.access_level && { access_level: token.access_level }),
          ...(withKeys && {
            access_token: token.token,
            access_token_secret: box.open(token.token_secret, secretContext.token(token.id)),
          }),
        };
      }
    }
    const secret = withKeys && box.open(application.consumer_secret, secretContext.application(application.id));
    members[keys.name(application.id, application.name)] = {
      ...own,
      ...(secret && { consumer_key: application.consumer_key, consumer_secret: secret }),
      tokens,
    };
  }
  return members;
}

function applicationMembers(application: Application, names: ReadonlyMap<string, string>): Members {
  const draft: Readonly<Record<string, unknown>> = { ...draftOf(application) };
  const usual: Readonly<Record<string, unknown>> = { ...DEMO_APPLICATION, description: '' };
  const changed = Object.entries(draft).filter(
    ([name, value]) => name === 'name' || JSON.stringify(value) !== JSON.stringify(usual[name]),
  );
  const isSwitch = (name: string): boolean => APPLICATION_FIELDS[name]?.kind.name === 'boolean';
  const [first] = names.keys();
  const owner = names.get(application.owner_user_id);
  return {
    ...Object.fromEntries(changed.map(([name, value]) => [name, (isSwitch(name) ? value === 1 : value) as RawValue])),
    ...(owner !== undefined && application.owner_user_id !== first && { owner }),
  };
}

/** Unique names of entries, derived from their titles. */
export interface Names {
  /** The name of the entry with an id; `title` may be empty. */
  name(id: string, title: string): string;
  /** Also finds the entry with an id by another. */
  also(id: string, other: string): void;
  find(id: string): string | undefined;
}

const LENGTH_MAX = 40;

/** Makes the names of a section; entries without a title get its name. */
function namesFor(section: string): Names {
  const byId = new Map<string, string>();
  const taken = new Set<string>();
  const singular = section.replace(/ies$/, 'y').replace(/s$/, '');
  return {
    name(id, title) {
      const known = byId.get(id);
      if (known !== undefined) return known;
      const slug = title
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replace(/^[^a-z]+/, '')
        .slice(0, LENGTH_MAX)
        .replace(/_+$/, '');
      const base = slug === '' ? singular : slug;
      let name = base;
      for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
      taken.add(name);
      byId.set(id, name);
      return name;
    },
    also: (id, other) => void byId.set(other, byId.get(id)!),
    find: (id) => byId.get(id),
  };
}
