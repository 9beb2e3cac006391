import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  SNAPSHOT_NAME,
  type Snapshot,
  type SnapshotNotes,
  type Snapshots,
  SnapshotUnreadable,
} from '../../contract/services/snapshots.ts';
import { SchemaTooNew } from '../../contract/store/errors.ts';
import { acceptsHtml } from '../../http/routes.ts';
import {
  type DevCall,
  DevError,
  DevReply,
  type DevRequest,
  devCall,
  invalidMember,
  membersOf,
  wordIn,
} from '../surface/call.ts';
import { formCall, type ToolPages } from '../surface/tool-pages.ts';
import { Gate } from './gate.ts';
import { type SnapshotReply, snapshotsPage } from './snapshots-page.ts';

/** The service, as snapshots need it. */
export interface SnapshotSubject {
  /** Undefined where they are not supported, as on PostgreSQL. */
  readonly snapshots: Snapshots | undefined;
  /** The notes for a snapshot taken now. */
  notes(): SnapshotNotes;
  /** Derives the ids that are issued from now on from a mark. @source decision 880 */
  continueFrom(mark: string): void;
  endStreams(): Promise<void>;
  /** Pauses the service while work replaces the contents. */
  standstill<T>(work: () => Promise<T>): Promise<T>;
  /** Applies the notes of the restored contents. */
  adopt(notes: SnapshotNotes): Promise<void>;
  /** Creates the initial database of a world with only its users and applications. @source decision 881 */
  fillEmpty(file: string, beginning: Snapshot): Promise<void>;
  /** A path for a temporary archive. */
  draftPath(): string;
}

/** The snapshots that a reset restores: `seed` is taken when the world is created, `empty` when it is first needed. */
export const RESETS = { seed: '.seed', empty: '.empty' } as const;

/** Takes a snapshot. Later ids are the same as after restoring it. */
export async function takeSnapshot(subject: SnapshotSubject, name: string): Promise<Snapshot> {
  const taken = await subject.snapshots!.take(name, subject.notes());
  subject.continueFrom(taken.notes.mark);
  return taken;
}

/** Snapshots and resets. */
export class SnapshotTool {
  readonly gate = new Gate();
  readonly #subject: SnapshotSubject;
  readonly #pages: ToolPages;

  constructor(subject: SnapshotSubject, pages: ToolPages) {
    this.#subject = subject;
    this.#pages = pages;
  }

  calls(): readonly DevCall[] {
    return [
      formCall(
        'snapshots',
        async (form) => {
          await this.#performAction(form);
          return `/_dev/snapshots?done=${form.get('act')}`;
        },
        async (refused) => snapshotsPage(this.#pages, await this.#list(), { refused }),
      ),
      devCall('GET /_dev/snapshots', 'Lists the snapshots.', async ({ request, query }) =>
        acceptsHtml(request.headers.accept)
          ? snapshotsPage(this.#pages, await this.#list(), { done: query.get('done') ?? '' })
          : { snapshots: (await this.#snapshots().list()).map(replyOf) },
      ),
      devCall('POST /_dev/snapshots', 'Adds an exported snapshot: application/x-tar, ?name=.', (request) =>
        this.#import(request),
      ),
      devCall('PUT /_dev/snapshots/:name', 'Takes a snapshot of everything.', async ({ path, body }) => {
        this.#snapshots();
        membersOf(body ?? {}, [], 'body');
        return replyOf(await takeSnapshot(this.#subject, checkedName(path.name!)));
      }),
      devCall('DELETE /_dev/snapshots/:name', 'Removes a snapshot.', ({ path }) => this.#remove(path.name!)),
      devCall('POST /_dev/snapshots/:name/restore', 'Goes back to a snapshot.', async ({ path, body }) => {
        membersOf(body ?? {}, [], 'body');
        const snapshot = await this.#find(path.name!);
        await this.#restore(snapshot);
        return replyOf(snapshot);
      }),
      devCall('GET /_dev/snapshots/:name/file', 'Exports a snapshot as a tar archive.', async ({ path }) => {
        const snapshot = await this.#find(path.name!);
        const write = (draft: string) => this.#snapshots().exportTo(snapshot, draft);
        return sendFile(this.#subject.draftPath(), `${snapshot.name}.tar`, write);
      }),
      devCall('POST /_dev/reset', 'Goes back to the beginning: { to: "seed" or "empty" }.', async ({ body }) => {
        const members = membersOf(body ?? {}, ['to'], 'body');
        const to = wordIn(members.to, 'to', ['seed', 'empty']) ?? 'seed';
        const { notes } = await this.#reset(to);
        return { to, clock: notes.clock };
      }),
    ];
  }

  /** Performs the action of a button of the page. */
  async #performAction(form: URLSearchParams): Promise<unknown> {
    const name = form.get('name') ?? '';
    const action = form.get('act');
    switch (action) {
      case 'take':
        this.#snapshots();
        return takeSnapshot(this.#subject, checkedName(name));
      case 'restore':
        return this.#restore(await this.#find(name));
      case 'remove':
        return this.#remove(name);
      case 'seed':
      case 'empty':
        return this.#reset(action);
      default:
        throw invalidMember('the page has no such button', 'act');
    }
  }

  /** @throws DevError where they are not supported */
  #snapshots(): Snapshots {
    if (this.#subject.snapshots) return this.#subject.snapshots;
    const message = 'snapshots and resets need SQLite: start barker dev without a database URL and an object store';
    throw new DevError(501, 'SNAPSHOTS_NEED_SQLITE', message);
  }

  async #list(): Promise<readonly SnapshotReply[] | undefined> {
    return (await this.#subject.snapshots?.list())?.map(replyOf);
  }

  async #find(name: string): Promise<Snapshot> {
    const found = await this.#snapshots().find(checkedName(name));
    if (found) return found;
    throw new DevError(404, 'SNAPSHOT_UNKNOWN', `there is no snapshot ${name}; GET /_dev/snapshots lists all`, 'name');
  }

  async #remove(name: string): Promise<void> {
    await this.#snapshots().remove((await this.#find(name)).name);
  }

  async #restore(snapshot: Snapshot): Promise<void> {
    const subject = this.#subject;
    const snapshots = this.#snapshots();
    await snapshots.prepare(snapshot).catch((error) => {
      if (!(error instanceof SchemaTooNew)) throw error;
      throw new DevError(409, 'SNAPSHOT_TOO_NEW', error.message);
    });
    await this.gate.closed(
      () => subject.endStreams(),
      () =>
        subject.standstill(async () => {
          await snapshots.restore(snapshot);
          await subject.adopt(snapshot.notes);
          subject.continueFrom(snapshot.notes.mark);
        }),
    );
  }

  async #reset(to: keyof typeof RESETS): Promise<Snapshot> {
    const snapshots = this.#snapshots();
    const seed = await snapshots.find(RESETS.seed);
    if (!seed) {
      const message = 'this data folder was begun by an earlier release, which kept no snapshot of its beginning';
      throw new DevError(409, 'BEGINNING_UNKNOWN', message);
    }
    const beginning =
      to === 'seed'
        ? seed
        : ((await snapshots.find(RESETS.empty)) ??
          (await snapshots.build(RESETS.empty, seed.notes, (file) => this.#subject.fillEmpty(file, seed))));
    await this.#restore(beginning);
    return beginning;
  }

  async #import({ request, query }: DevRequest): Promise<DevReply> {
    const other = [...query.keys()].find((each) => each !== 'name');
    if (other !== undefined) {
      throw new DevError(400, 'PARAMETER_UNKNOWN', `${other} is no parameter of this call`, other);
    }
    const name = query.get('name') ?? undefined;
    if (name !== undefined) checkedName(name);
    if (!/^application\/x-tar\b/i.test(request.headers['content-type'] ?? '')) {
      throw new DevError(415, 'NOT_TAR', 'send an exported snapshot with Content-Type: application/x-tar');
    }
    const snapshots = this.#snapshots();
    try {
      const add = (path: string) => snapshots.importFrom(path, name);
      return new DevReply(201, replyOf(await receiveFile(request, this.#subject.draftPath(), add)));
    } catch (error) {
      if (!(error instanceof SnapshotUnreadable)) throw error;
      throw new DevError(400, 'SNAPSHOT_UNREADABLE', error.message);
    }
  }
}

const replyOf = ({ name, at, notes, bytes }: Snapshot): SnapshotReply => ({ name, at, clock: notes.clock, bytes });

/** @throws DevError */
function checkedName(name: string): string {
  if (SNAPSHOT_NAME.test(name)) return name;
  const message =
    'a name has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit';
  throw new DevError(400, 'NAME_INVALID', message, 'name');
}

/** Receives the body of a request into a temporary file. */
async function receiveFile<T>(request: IncomingMessage, path: string, work: (path: string) => Promise<T>): Promise<T> {
  try {
    await pipeline(request, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** Replies with a temporary file that `write` writes. */
async function sendFile(path: string, name: string, write: (path: string) => Promise<void>): Promise<DevReply> {
  try {
    await write(path);
    const file = await open(path);
    const { size } = await file.stat();
    const send = (response: ServerResponse): void => {
      pipeline(file.createReadStream(), response).catch(() => undefined);
    };
    return new DevReply(200, send, {
      'content-type': 'application/x-tar',
      'content-length': String(size),
      'content-disposition': `attachment; filename="${name}"`,
    });
  } finally {
    // It can still be read through the open handle.
    await rm(path, { force: true });
  }
}
