import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { formatInstant } from '../../base/instants.ts';
import type { Principal } from '../../contract/declare/callers.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import { BatchProblem } from '../../contract/problems/batch-problem.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { accountAccessCache } from '../../features/ads/account-access-cache.ts';
import { placeholderImage } from '../../features/media/placeholder-image.ts';
import { performCall, type WorldCall } from './calls.ts';
import { type Complaints, complain, itemsOf, type Members, rawOf } from './checker.ts';
import type { Begun, FullDependencies } from './create-world.ts';
import { sizeOf, uploadOf } from './people.ts';
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

/** How an account is filled. */
interface Filling {
  readonly complaints: Complaints;
  /** The ids of entries by their paths, which are added here. */
  readonly ids: Record<string, string>;
  /** The folder of the files that the world names. */
  readonly folder: string;
  /** The media keys of files that were uploaded before. */
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

/** The dependencies of a filling. */
type FillingDependencies = Pick<FullDependencies, 'services' | 'operations'>;

type Parameters = Pick<WorldCall, 'raw'> & Partial<WorldCall>;

/**
 * Creates the contents of an account, by operations. An administrator calls them; those of posts their author, who may
 * publish them. Complains of refusals. Resolves with a function that calls further operations.
 * @source decision 883
 */
export async function fillAccount(
  deps: FillingDependencies,
  begun: Pick<Begun, 'users' | 'caller'>,
  of: Begun['accounts'][number],
  filling: Filling,
): Promise<AccountCall> {
  const filler = new AccountFiller(deps, begun, of, filling);
  await filler.createAll(of.account.made.map((made) => ({ made, around: undefined })));
  return (operation, parameters) => filler.callAs(filler.admin, operation, { raw: new Map(), ...parameters });
}

class AccountFiller {
  /** The name of an administrator. */
  readonly admin: string;
  readonly #deps: FillingDependencies;
  readonly #begun: Pick<Begun, 'users' | 'caller'>;
  readonly #of: Begun['accounts'][number];
  readonly #filling: Filling;
  readonly #access: ReturnType<typeof accountAccessCache>;
  readonly #replies = new Map<string, Created['reply']>();

  constructor(
    deps: FillingDependencies,
    begun: Pick<Begun, 'users' | 'caller'>,
    of: Begun['accounts'][number],
    filling: Filling,
  ) {
    this.#deps = deps;
    this.#begun = begun;
    this.#of = of;
    this.#filling = filling;
    this.#access = accountAccessCache(deps.services.store);
    const { account, ids } = of;
    this.admin = account.users.find(({ input }) => input.role === 'ACCOUNT_ADMIN')!.key;
    for (const [index, { key }] of account.funding.entries()) {
      this.#replies.set(`funding.${key}`, { id: ids.instruments[index]! });
    }
    for (const [key, id] of begun.users) this.#replies.set(`users.${key}`, { id });
  }

  /** Creates entries of a section at the same time, so that they share commits; the entries in them, after them. */
  async createAll(planned: readonly Planned[]): Promise<void> {
    const createOne = (each: Planned) => this.#createOne(each);
    for (const section of new Set(planned.map(({ made }) => made.section))) {
      const all = planned.filter(({ made }) => made.section === section);
      const isOrdered = section.name === 'media' && !this.#filling.uploaded;
      const made = isOrdered ? await oneByOne(all, createOne) : await Promise.all(all.map(createOne));
      const created = made.filter((each) => each !== undefined);
      await this.createAll(created.flatMap((around) => around.made.inner.map((inner) => ({ made: inner, around }))));
    }
  }

  /** Calls an operation as a user, who is named. */
  async callAs(user: string, operation: string, of: Parameters): Promise<readonly Created['reply'][]> {
    const { services, operations } = this.#deps;
    const data = await performCall(services, {
      ...of,
      operation: operations.get(operation)!,
      now: formatInstant(services.clock.now()),
      principal: principalOf(this.#begun, user),
      access: (await this.#access.find(this.#begun.users.get(user)!, this.#of.ids.account))!,
    });
    return (Array.isArray(data) ? data : [data]) as Created['reply'][];
  }

  async #call(operation: string, user: string, of: Parameters): Promise<Created['reply']> {
    return (await this.callAs(user, operation, of))[0]!;
  }

  async #createOne({ made, around }: Planned): Promise<Created | undefined> {
    const { section, members, key, at } = made;
    try {
      const raw = this.#parametersOf(made, around);
      if (!raw) return undefined;
      if (section.name === 'media') raw.set('media_key', await this.#upload(members));
      const author = String(members.get('author')?.value);
      const user = this.#of.account.users.some((each) => each.key === author) ? author : this.admin;
      const reply = await this.#call(section.creates, user, { raw });
      const people = members.get('people');
      if (people && itemsOf(people).length > 0) {
        const [operation, parameter] = UPLOADS[section.name]!;
        const body = new Uint8Array(Buffer.from(uploadOf(people)));
        await this.#call(operation, this.admin, { raw: new Map(), body, path: { [parameter]: String(reply.id) } });
      }
      if (!around) this.#replies.set(`${section.name}.${key}`, reply);
      if (section.form === 'map') this.#filling.ids[at.path] = String(reply.id_str ?? reply.id ?? reply.media_key);
      return { made, reply };
    } catch (error) {
      this.#refuse(made, error);
      return undefined;
    }
  }

  /** Undefined when an entry that is referred to was refused. */
  #parametersOf({ section, members }: Made, around: Created | undefined): Map<string, RawValue> | undefined {
    const { services, operations } = this.#deps;
    const raw = rawOf(members, fieldsOf(section, operations), formatInstant(services.clock.now()));
    if (section.namesMedia) for (const [name, value] of raw) raw.set(name, withMediaKeys(value, this.#replies));
    if (section.within !== undefined) raw.set(section.within, String(around!.reply.id));
    for (const [name, { to, parameter, takes = 'id', isList }] of Object.entries(section.references)) {
      const member = members.get(name);
      if (!member) continue;
      const values = itemsOf(member).map(({ source, value }) => {
        const reply = to.map((each) => this.#replies.get(`${each}.${source ?? value}`)).find(Boolean);
        return reply?.[takes];
      });
      if (values.includes(undefined)) return undefined;
      raw.set(parameter, isList ? values.map(String) : String(values[0]));
    }
    return raw;
  }

  async #upload(members: Members): Promise<string> {
    const file = String(members.get('file')?.value);
    const { folder, uploaded } = this.#filling;
    const known = uploaded?.get(file);
    if (known !== undefined) return known;
    const { received, uploadRules } = this.#deps.services.media;
    const picture = members.get('picture');
    const source = picture ? [placeholderImage(...sizeOf(picture)!)] : createReadStream(join(folder, file));
    const media = await received.receive(source as AsyncIterable<Uint8Array>, uploadRules.media_image_bytes_max);
    try {
      const parameters = { raw: new Map(), files: new Map([['media', media]]) };
      const reply = await this.#call('media_v2.upload', this.admin, parameters);
      return String((reply.data as Created['reply']).media_key);
    } finally {
      await received.discard(media);
    }
  }

  /** Complains of a refusal by an operation. @throws any other error */
  #refuse({ section, at, members }: Made, error: unknown): void {
    const { complaints, folder } = this.#filling;
    const errors = errorsOf(error);
    if (!errors) {
      if (!/ENOENT|EISDIR|EACCES/.test(String((error as Error).cause))) throw error;
      complaints.add(members.get('file')!, `cannot be read in ${folder}`);
      return;
    }
    const memberOf = (parameter: string): string | undefined =>
      Object.entries(section.references).find(([name, each]) => each.parameter === parameter && members.has(name))?.[0];
    const { family } = this.#deps.operations.get(section.creates)!;
    for (const each of errors) complain({ at, members }, each, { complaints, family, memberOf });
  }
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
