import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { formatInstant } from '../../base/instants.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Principal } from '../../contract/declare/operation.ts';
import { BatchProblem } from '../../contract/problems/batch-problem.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { accountAccessCache } from '../../features/ads/account-access-cache.ts';
import { placeholderImage } from '../../features/media/placeholder-image.ts';
import { performCall, type WorldCall } from './calls.ts';
import { type Complaints, complain, itemsOf, rawOf } from './checker.ts';
import type { Begun, FullDependencies } from './create-world.ts';
import type { Located } from './located.ts';
import { uploadOf } from './people.ts';
import { sizeOf } from './pictures.ts';
import { fieldsOf } from './sections.ts';
import type { Made } from './world.ts';

/** A created entry, with the data of the reply. */
interface Created {
  readonly made: Made;
  readonly reply: Readonly<Record<string, unknown>>;
}

/** An entry to create, with the one around it. */
interface Planned {
  readonly made: Made;
  readonly around: Created | undefined;
}

/** What an account is filled with. */
interface Filling {
  readonly complaints: Complaints;
  /** The ids of entries by their paths, which are added here. */
  readonly ids: Record<string, string>;
  /** Where the files are that the world names. */
  readonly folder: string;
  /** The media keys of files that are uploaded already. */
  readonly uploaded?: ReadonlyMap<string, string>;
}

/** Calls an operation on the account as its administrator; the answer is the data of the reply. */
export type AccountCall = (
  operation: string,
  of?: Partial<Pick<WorldCall, 'raw' | 'body' | 'path'>>,
) => Promise<readonly Created['reply'][]>;

/** How people are uploaded, by section: the operation and the id in its path. */
const UPLOADS: Readonly<Record<string, readonly [operation: string, parameter: string]>> = {
  custom_audiences: ['custom_audiences.users', 'custom_audience_id'],
  do_not_reach_lists: ['do_not_reach_lists.users', 'do_not_reach_list_id'],
};

/**
 * Creates what is in an account, by operations. An administrator calls them; those of posts their author, who may publish
 * them. Complains of what is refused. Resolves with a function that calls further operations.
 * @source decision 883
 */
export async function fillAccount(
  { services, operations }: Pick<FullDependencies, 'services' | 'operations'>,
  begun: Pick<Begun, 'users' | 'caller'>,
  { account, ids: own }: Begun['accounts'][number],
  { complaints, ids, folder, uploaded }: Filling,
): Promise<AccountCall> {
  const access = accountAccessCache(services.store);
  const replies = new Map<string, Created['reply']>();
  for (const [index, { key }] of account.funding.entries()) {
    replies.set(`funding.${key}`, { id: own.instruments[index]! });
  }
  for (const [key, id] of begun.users) replies.set(`users.${key}`, { id });
  const admin = account.users.find(({ input }) => input.role === 'ACCOUNT_ADMIN')!.key;

  async function callAs(
    user: string,
    operation: string,
    of: Pick<WorldCall, 'raw'> & Partial<WorldCall>,
  ): Promise<readonly Created['reply'][]> {
    const data = await performCall(services, {
      ...of,
      operation: operations.get(operation)!,
      now: formatInstant(services.clock.now()),
      principal: principalOf(begun, user),
      access: (await access.find(begun.users.get(user)!, own.account))!,
    });
    return (Array.isArray(data) ? data : [data]) as Created['reply'][];
  }

  async function call(
    operation: string,
    user: string,
    of: Pick<WorldCall, 'raw'> & Partial<WorldCall>,
  ): Promise<Created['reply']> {
    return (await callAs(user, operation, of))[0]!;
  }

  /** The id, or whatever else stands for an entry; undefined when that was refused, which has been told. */
  function find(to: readonly string[], name: Located, takes: string): string | undefined {
    const reply = to.map((section) => replies.get(`${section}.${name.source ?? name.value}`)).find(Boolean);
    const value = reply?.[takes];
    return value === undefined ? undefined : String(value);
  }

  function parametersOf({ section, members }: Made, around: Created | undefined): Map<string, RawValue> | undefined {
    const fields = fieldsOf(section, operations);
    const raw = rawOf(members, fields, formatInstant(services.clock.now()));
    if (section.namesMedia) for (const [name, value] of raw) raw.set(name, withMediaKeys(value, replies));
    if (section.within !== undefined) raw.set(section.within, String(around!.reply.id));
    for (const [name, { to, parameter, takes = 'id', isList }] of Object.entries(section.references)) {
      const member = members.get(name);
      if (!member) continue;
      const values = itemsOf(member).map((item) => find(to, item, takes));
      if (values.includes(undefined)) return undefined;
      raw.set(parameter, isList ? (values as string[]) : values[0]!);
    }
    return raw;
  }

  async function upload(file: Located | undefined, picture: Located | undefined): Promise<string> {
    const known = uploaded?.get(String(file?.value));
    if (known !== undefined) return known;
    const { received, uploadRules } = services.media;
    const source = picture
      ? [placeholderImage(...sizeOf(picture)!)]
      : createReadStream(join(folder, String(file!.value)));
    const media = await received.receive(source as AsyncIterable<Uint8Array>, uploadRules.media_image_bytes_max);
    try {
      const raw = new Map<string, RawValue>();
      const reply = await call('media_v2.upload', admin, { raw, files: new Map([['media', media]]) });
      return String((reply.data as Created['reply']).media_key);
    } finally {
      await received.discard(media);
    }
  }

  async function createOne({ made, around }: Planned): Promise<Created | undefined> {
    const { section, members, key, at } = made;
    try {
      const raw = parametersOf(made, around);
      if (!raw) return undefined;
      if (section.name === 'media') raw.set('media_key', await upload(members.get('file'), members.get('picture')));
      const author = String(members.get('author')?.value);
      const user = account.users.some((each) => each.key === author) ? author : admin;
      const reply = await call(section.creates, user, { raw });
      const people = members.get('people');
      if (people && itemsOf(people).length > 0) {
        const [operation, parameter] = UPLOADS[section.name]!;
        const body = new Uint8Array(Buffer.from(uploadOf(people)));
        await call(operation, admin, { raw: new Map(), body, path: { [parameter]: String(reply.id) } });
      }
      if (!around) replies.set(`${section.name}.${key}`, reply);
      if (section.form === 'map') ids[at.path] = String(reply.id_str ?? reply.id ?? reply.media_key);
      return { made, reply };
    } catch (error) {
      refuse(made, error);
      return undefined;
    }
  }

  /** Complains of what an operation refused. @throws any other error */
  function refuse({ section, at, members }: Made, error: unknown): void {
    const missing = (error as NodeJS.ErrnoException).cause as NodeJS.ErrnoException | undefined;
    const errors = errorsOf(error);
    if (!errors) {
      if (!/ENOENT|EISDIR|EACCES/.test(String(missing))) throw error;
      complaints.add(members.get('file')!, `cannot be read in ${folder}`);
      return;
    }
    const memberOf = (parameter: string): string | undefined =>
      Object.entries(section.references).find(([name, each]) => each.parameter === parameter && members.has(name))?.[0];
    const { family } = operations.get(section.creates)!;
    for (const each of errors) complain({ at, members }, each, { complaints, family, memberOf });
  }

  /** Creates entries of a section at the same time, so that they share commits; what is in them, after them. */
  async function createAll(planned: readonly Planned[]): Promise<void> {
    for (const section of new Set(planned.map(({ made }) => made.section))) {
      const all = planned.filter(({ made }) => made.section === section);
      const isOrdered = section.name === 'media' && !uploaded;
      const made = isOrdered ? await oneByOne(all, createOne) : await Promise.all(all.map(createOne));
      const created = made.filter((each) => each !== undefined);
      await createAll(created.flatMap((around) => around.made.inner.map((made) => ({ made, around }))));
    }
  }
  await createAll(account.made.map((made) => ({ made, around: undefined })));
  return (operation, of) => callAs(admin, operation, { raw: new Map(), ...of });
}

/** Files are read for different times, and ids are to be the same each time. */
async function oneByOne<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const each of all) done.push(await work(each));
  return done;
}

function errorsOf(error: unknown): Problem['errors'] | undefined {
  if (error instanceof Problem) return error.errors;
  return error instanceof BatchProblem ? error.items.flat() : undefined;
}

function principalOf({ users, caller }: Pick<Begun, 'users' | 'caller'>, user: string): Principal {
  const level = 'read-write-directmessages';
  return { kind: 'user', user: users.get(user)!, ...caller, level, applicationLevel: level };
}

/** The components of a card, with the keys of the media that they name. */
function withMediaKeys(value: RawValue, replies: ReadonlyMap<string, Created['reply']>): RawValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withMediaKeys(each as RawValue, replies));
  const keyOf = (name: RawValue): string | undefined => {
    const key = replies.get(`media.${String(name)}`)?.media_key;
    return key === undefined ? undefined : String(key);
  };
  return Object.fromEntries(
    Object.entries(value as Record<string, RawValue>).map(([name, each]) => {
      if (name === 'media' && Array.isArray(each)) return ['media_keys', each.map((one) => keyOf(one) ?? String(one))];
      const key = name === 'media' ? keyOf(each) : undefined;
      return key === undefined ? [name, withMediaKeys(each, replies)] : ['media_key', key];
    }),
  );
}
