import type { Environment } from '../../contract/declare/account-state.ts';
import { type Field, itemsOf, type RawValue } from '../../contract/declare/fields.ts';
import type { Parameters } from '../../contract/declare/operation.ts';
import type { AnyResource, Row } from '../../contract/declare/resource.ts';
import type { Post } from '../../contract/store/posts.ts';
import { SANDBOX_FEATURES } from '../../features/ads/account-features.ts';
import { ACCOUNT_LIMITS, type AccountInput } from '../../features/ads/administration/account-input.ts';
import { readLiveRows } from '../../features/ads/administration/apply-plan.ts';
import { mediaReferences, parseStructure } from '../../features/ads/cards/card-structure.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { promotableUsers } from '../../features/ads/promotable-users.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import type { Names } from './export-world.ts';
import { ACCOUNT_SECTIONS, fieldsOf, type Operations, type Section } from './sections.ts';
import { accountFields, fundingFields } from './world.ts';

/** The dependencies of the export of an account. */
export interface ExportContext {
  readonly tx: ReadTransaction;
  readonly operations: Operations;
  readonly resources: ReadonlyMap<string, AnyResource>;
  readonly accountInput: AccountInput;
  /** The names of users, by id. */
  readonly users: ReadonlyMap<string, string>;
  /** Whether ids are exported. */
  readonly withKeys: boolean;
  /** Whether this was created before; later things are left to the clock. UTC text. */
  readonly now: string;
  namesOf(section: string): Names;
  /** Notes that something is left out. */
  leaveOut(what: string): void;
}

/** Members of an entry of a world file. */
export type Members = Record<string, RawValue>;

/** The values of a row that are not the defaults, as a world file has them. */
export function membersOfRow(row: Readonly<Record<string, unknown>>, fields: Parameters): Members {
  const members: Members = {};
  for (const [name, field] of Object.entries(fields) as [string, Field][]) {
    const value = row[name];
    if (value === null || value === undefined || value === field.defaultValue) continue;
    members[name] = JSON.parse(field.kind.toJson(value as never));
  }
  return members;
}

/** An account as a world file has it. */
export async function exportAccount(row: Row, context: ExportContext): Promise<Members> {
  const { tx, accountInput, users, withKeys } = context;
  const { id } = row;
  const stored = (await tx.accountMembers.findLimits(id))!;
  // The time zone of a new account takes effect on the day of its creation.
  const { id: _, timezone_switch_at, ...fields } = accountFields(accountInput);
  const own = { ...membersOfRow({ ...row, environment: stored.environment }, fields) };
  const members = await tx.accountMembers.listMembers(id);
  const roles = members
    .filter(({ user_id }) => users.has(user_id))
    .sort((a, b) => Number(a.user_id) - Number(b.user_id))
    .map(({ user_id, role, post_composer }) => {
      const isUsual = (post_composer === 1) === (role === 'ACCOUNT_ADMIN');
      return [users.get(user_id)!, isUsual ? role : { role, post_composer: post_composer === 1 }] as const;
    });
  const promotable = (await readLiveRows(tx, promotableUsers, id)).map(
    (each) => [users.get(String(each.user_id))!, String(each.promotable_user_type)] as const,
  );
  const advertiser = promotable.find(([, type]) => type === 'FULL')?.[0];
  const isUsual = promotable.length === 1 && roles.find(([, role]) => role === 'ACCOUNT_ADMIN')?.[0] === advertiser;
  const features = await tx.accountMembers.listFeatures(id);
  const limits = Object.entries(JSON.parse(stored.limits) as Record<string, number>).map(([setting, value]) => {
    const [name] = Object.entries(ACCOUNT_LIMITS).find(([, each]) => each === setting)!;
    return [name, value] as const;
  });
  const funding = context.namesOf('funding');
  const instruments: Members = {};
  for (const each of await readLiveRows(tx, fundingInstruments, id)) {
    instruments[funding.name(each.id, String(each.type))] = membersOfRow(each, fundingFields(accountInput));
  }
  return {
    ...(withKeys && { id }),
    ...own,
    users: Object.fromEntries(roles),
    ...(!isUsual && { promotable_users: Object.fromEntries(promotable) }),
    ...(String(features) !== String([...SANDBOX_FEATURES].sort()) && { features }),
    ...(limits.length > 0 && { custom_limits: Object.fromEntries(limits) }),
    ...(Object.keys(instruments).length > 0 && { funding: instruments }),
    ...(await exportSections(
      { account: id, environment: stored.environment as Environment, advertiser, promotable },
      context,
    )),
  };
}

/** The account, as its sections need it. */
interface ExportedAccount {
  readonly account: string;
  readonly environment: Environment;
  /** The name of the user whom the account advertises. */
  readonly advertiser: string | undefined;
  readonly promotable: readonly (readonly [user: string, type: string])[];
}

async function exportSections(account: ExportedAccount, context: ExportContext): Promise<Members> {
  const rows = new Map<string, readonly Row[]>();
  const rowsOf = async (section: Section): Promise<readonly Row[]> => {
    const known = rows.get(section.name);
    if (known) return known;
    const found = await readRows(section, account, context);
    rows.set(section.name, found);
    return found;
  };

  async function entriesOf(section: Section, around: Row | undefined): Promise<RawValue | undefined> {
    const all = await rowsOf(section);
    const inner = all.filter((row) => section.within === undefined || row[section.within] === around!.id);
    if (section.form === 'names') {
      const [[, { to, parameter }]] = Object.entries(section.references) as [[string, Section['references'][string]]];
      // The parameter of posts takes several, the column has one.
      const column = parameter.replace(/s$/, '');
      const found = inner.flatMap((row) => nameIn(to, String(row[column]), context) ?? []);
      if (found.length < inner.length) context.leaveOut(section.name);
      return found.length === 0 ? undefined : found;
    }
    const named: [string, RawValue][] = [];
    const names = context.namesOf(section.name);
    for (const row of inner) {
      const members = await entryOf(section, row);
      if (!members) continue;
      named.push([section.form === 'map' ? names.name(row.id, String(row.name ?? '')) : '', members]);
      if (section.name.endsWith('cards')) names.also(row.id, String(row.card_uri));
    }
    if (named.length === 0) return undefined;
    return section.form === 'map' ? Object.fromEntries(named) : named.map(([, members]) => members);
  }

  async function entryOf(section: Section, row: Row): Promise<Members | undefined> {
    const members = membersOfRow(row, fieldsOf(section, context.operations));
    if (section.name === 'media') {
      const [upload] = await context.tx.uploads.list([row.id.slice(row.id.indexOf('_') + 1)]);
      if (row.media_type !== 'IMAGE' || !upload?.width) {
        context.leaveOut('videos and GIFs');
        return undefined;
      }
      members.picture = `${upload.width}x${upload.height}`;
    }
    if (section.name === 'custom_audiences' && row.audience_type !== 'CRM') {
      context.leaveOut('audiences that combine others');
      return undefined;
    }
    if (section.extras?.includes('people')) context.leaveOut('people in audiences');
    if (!nameReferences(section, row, members, account, context)) return undefined;
    if (section.namesMedia && mediaOf(row).some((key) => nameIn(['media'], key, context) === undefined)) {
      context.leaveOut('cards with videos');
      return undefined;
    }
    if (section.name === 'line_items' && String(row.end_time ?? context.now) < context.now) {
      context.leaveOut('ends of flights that are over');
      delete members.end_time;
      if (row.entity_status === 'ACTIVE') members.entity_status = 'PAUSED';
    }
    const entry = section.namesMedia ? (withMediaNames(members, context) as Members) : members;
    for (const each of section.sections ?? []) {
      const entries = await entriesOf(each, row);
      if (entries !== undefined) entry[each.name] = entries;
    }
    return entry;
  }

  const sections: Members = {};
  for (const section of ACCOUNT_SECTIONS) {
    const entries = await entriesOf(section, undefined);
    if (entries !== undefined) sections[section.name] = entries;
  }
  return sections;
}

/**
 * Puts the names of entries in place of the ids in a row.
 * @returns false where the entry cannot be created without one that is left out
 */
function nameReferences(
  section: Section,
  row: Row,
  members: Members,
  { advertiser }: ExportedAccount,
  context: ExportContext,
): boolean {
  for (const [member, { to, parameter, takes, isList, isOptional }] of Object.entries(section.references)) {
    const column = parameter === 'as_user_id' ? 'user_id' : parameter;
    const value = row[column];
    if (value === null || value === undefined) continue;
    const values = isList ? itemsOf(String(value)) : [String(value)];
    const found = values.flatMap((each) => nameIn(to, each, context) ?? []);
    if (member === 'author' && found[0] === advertiser) continue;
    if (found.length < values.length) {
      // The id may be that of another kind of object.
      if (isOptional && !isList && takes === undefined) continue;
      context.leaveOut(`${member} of ${section.name}`);
      if (context.operations.get(section.creates)!.parameters[parameter]!.isRequired) return false;
      delete members[parameter];
      continue;
    }
    delete members[parameter];
    if (found.length > 0) members[member] = isList ? found : found[0]!;
  }
  return true;
}

/** The name of the entry that an id or another key belongs to. */
function nameIn(to: readonly string[], value: string, { users, namesOf }: ExportContext): string | undefined {
  if (to.includes('users')) return users.get(value);
  return to.map((section) => namesOf(section).find(value)).find((name) => name !== undefined);
}

async function readRows(section: Section, exported: ExportedAccount, context: ExportContext): Promise<readonly Row[]> {
  const { tx, now } = context;
  if (section.name === 'posts') return readPosts(exported, context);
  const resource = context.resources.get(section.creates.split('.', 1)[0]!)!;
  const rows = await readLiveRows(tx, resource, exported.account);
  if (section.name !== 'scheduled_posts') return rows;
  return rows.filter((row) => row.scheduled_status === 'SCHEDULED' && String(row.scheduled_at) > now);
}

const POSTS_MAX = 10_000;

/** The posts that were published on the account, in the order of their ids. */
async function readPosts(
  { account, environment, promotable }: ExportedAccount,
  { tx, users }: ExportContext,
): Promise<readonly Row[]> {
  const all: Post[] = [];
  for (const [user] of promotable) {
    const [id] = [...users].find(([, name]) => name === user)!;
    const common = { environment, user: id, nullcast: undefined, withMentions: true, ids: undefined } as const;
    all.push(...(await tx.posts.page({ ...common, namePrefix: undefined, after: undefined, limit: POSTS_MAX })));
  }
  return all
    .filter((post) => post.account_id === account && post.repost_of === null)
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)) as unknown as Row[];
}

/** The keys of the media of a card. */
function mediaOf({ components, slides }: Row): string[] {
  const structure = parseStructure({
    components: components as string | null,
    slides: slides as string | null,
  });
  return mediaReferences(structure).map(({ key }) => key);
}

/** The components of a card, with the names of their media in place of keys. */
function withMediaNames(value: RawValue, context: ExportContext): RawValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withMediaNames(each as RawValue, context));
  return Object.fromEntries(
    Object.entries(value as Record<string, RawValue>).map(([name, each]) => {
      const nameOf = (key: RawValue): string | undefined => nameIn(['media'], String(key), context);
      if (name === 'media_keys') return ['media', (each as RawValue[]).map((key) => nameOf(key) ?? String(key))];
      const media = name === 'media_key' ? nameOf(each) : undefined;
      return media === undefined ? [name, withMediaNames(each, context)] : ['media', media];
    }),
  );
}
