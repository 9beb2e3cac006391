import {
  SNAPSHOT_NAME,
  type Snapshot,
  type SnapshotNotes,
  type Snapshots,
  SnapshotUnreadable,
} from '../../contract/services/snapshots.ts';
import { SchemaTooNew } from '../../contract/store/store.ts';
import { acceptsHtml } from '../../http/accept-header.ts';
import { type DevCall, DevError, DevReply, type DevRequest } from '../surface/call.ts';
import { membersOf, wordIn } from '../surface/members.ts';
import { backTo, type ToolPages } from '../surface/tool-pages.ts';
import { receiveFile, sendFile } from './archive-transfer.ts';
import { type Gate, openGate } from './gate.ts';
import { SNAPSHOTS_FORM, snapshotsPage } from './snapshots-page.ts';

/** The service whose snapshots are taken. */
export interface SnapshotSubject {
  /** Undefined where there are none, as on PostgreSQL. */
  readonly snapshots: Snapshots | undefined;
  /** What is to be noted now. */
  notes(): SnapshotNotes;
  /** Makes ids that are issued from now on follow from a mark. @source decision 880 */
  continueFrom(mark: string): void;
  /** Ends what lasts: streams. */
  endStreams(): Promise<void>;
  /** Keeps still while work replaces the contents. */
  standstill<T>(work: () => Promise<T>): Promise<T>;
  /** Takes over what was noted with the contents. */
  adopt(notes: SnapshotNotes): Promise<void>;
  /** Makes the database of a world with nothing but its users and applications, as of when it began. @source decision 881 */
  fillEmpty(file: string, beginning: Snapshot): Promise<void>;
  /** A path for an archive on its way. */
  draftPath(): string;
}

/** Snapshots and resets. */
export interface SnapshotTool {
  readonly calls: readonly DevCall[];
  readonly gate: Pick<Gate, 'arrive'>;
}

/** The snapshots to which a reset goes back: `seed` is taken when the world is made, `empty` when it is first needed. */
export const RESETS = { seed: '.seed', empty: '.empty' } as const;

/** Takes a snapshot, after which ids are those that follow a restore of it. */
export async function takeSnapshot(subject: SnapshotSubject, name: string): Promise<Snapshot> {
  const taken = await subject.snapshots!.take(name, subject.notes());
  subject.continueFrom(taken.notes.mark);
  return taken;
}

/** The calls for snapshots and resets. */
export function snapshotTool(subject: SnapshotSubject, pages: ToolPages): SnapshotTool {
  const gate = openGate();
  const there = (): Snapshots => {
    if (subject.snapshots) return subject.snapshots;
    const message = 'snapshots and resets need SQLite: start barker dev without a database URL and an object store';
    throw new DevError(501, 'SNAPSHOTS_NEED_SQLITE', message);
  };
  const find = async (name: string): Promise<Snapshot> => {
    const found = await there().find(checkedName(name));
    if (found) return found;
    throw new DevError(404, 'SNAPSHOT_UNKNOWN', `there is no snapshot ${name}; GET /_dev/snapshots lists all`, 'name');
  };
  async function restore(snapshot: Snapshot): Promise<void> {
    await there()
      .prepare(snapshot)
      .catch((error) => {
        if (!(error instanceof SchemaTooNew)) throw error;
        throw new DevError(409, 'SNAPSHOT_TOO_NEW', error.message);
      });
    await gate.closed(subject.endStreams, () =>
      subject.standstill(async () => {
        await there().restore(snapshot);
        await subject.adopt(snapshot.notes);
        subject.continueFrom(snapshot.notes.mark);
      }),
    );
  }

  async function beginning(to: keyof typeof RESETS): Promise<Snapshot> {
    const snapshots = there();
    const seed = await snapshots.find(RESETS.seed);
    if (!seed) {
      const message = 'this data folder was begun by an earlier release, which kept no snapshot of its beginning';
      throw new DevError(409, 'BEGINNING_UNKNOWN', message);
    }
    if (to === 'seed') return seed;
    const known = await snapshots.find(RESETS.empty);
    return known ?? snapshots.build(RESETS.empty, seed.notes, (file) => subject.fillEmpty(file, seed));
  }

  async function importArchive({ request, query }: DevRequest): Promise<unknown> {
    const name = checkedParameters(query).get('name') ?? undefined;
    if (name !== undefined) checkedName(name);
    if (!/^application\/x-tar\b/i.test(request.headers['content-type'] ?? '')) {
      throw new DevError(415, 'NOT_TAR', 'send an exported snapshot with Content-Type: application/x-tar');
    }
    const snapshots = there();
    try {
      return await receiveFile(
        request,
        subject.draftPath(),
        async (path) => new DevReply(201, shown(await snapshots.importFrom(path, name))),
      );
    } catch (error) {
      if (!(error instanceof SnapshotUnreadable)) throw error;
      throw new DevError(400, 'SNAPSHOT_UNREADABLE', error.message);
    }
  }

  const listed = async () => (await subject.snapshots?.list())?.map(shown);
  /** What buttons of the page do. */
  const acts: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    take: async (name) => {
      there();
      await takeSnapshot(subject, checkedName(name));
    },
    restore: async (name) => restore(await find(name)),
    remove: async (name) => there().remove((await find(name)).name),
    seed: async () => restore(await beginning('seed')),
    empty: async () => restore(await beginning('empty')),
  };

  const calls: readonly DevCall[] = [
    {
      ...{ method: 'POST', path: SNAPSHOTS_FORM, takesForm: true },
      about: 'Does what a form of the page of snapshots says.',
      async perform({ body }) {
        const form = body as URLSearchParams;
        const [act, name] = [form.get('act') ?? '', form.get('name')?.trim() ?? ''];
        try {
          if (!Object.hasOwn(acts, act))
            throw new DevError(400, 'MEMBER_INVALID', 'the page has no such button', 'act');
          await acts[act]!(name);
          return backTo('snapshots');
        } catch (error) {
          if (!(error instanceof DevError)) throw error;
          const { status, message } = error;
          return snapshotsPage(pages, await listed(), {
            status,
            wrong: `${message}.`,
            name: act === 'take' ? name : '',
          });
        }
      },
    },
    {
      ...{ method: 'GET', path: '/_dev/snapshots', about: 'Lists the snapshots.' },
      perform: async ({ request }) =>
        acceptsHtml(request.headers.accept)
          ? snapshotsPage(pages, await listed())
          : { snapshots: (await there().list()).map(shown) },
    },
    {
      ...{ method: 'POST', path: '/_dev/snapshots', about: 'Adds an exported snapshot: application/x-tar, ?name=.' },
      perform: importArchive,
    },
    {
      ...{ method: 'PUT', path: '/_dev/snapshots/:name', about: 'Takes a snapshot of everything.' },
      async perform({ path, body }) {
        there();
        membersOf(body ?? {}, [], 'body');
        return shown(await takeSnapshot(subject, checkedName(path.name!)));
      },
    },
    {
      ...{ method: 'DELETE', path: '/_dev/snapshots/:name', about: 'Removes a snapshot.' },
      async perform({ path }) {
        const { name } = await find(path.name!);
        await there().remove(name);
      },
    },
    {
      ...{ method: 'POST', path: '/_dev/snapshots/:name/restore', about: 'Goes back to a snapshot.' },
      async perform({ path, body }) {
        membersOf(body ?? {}, [], 'body');
        const snapshot = await find(path.name!);
        await restore(snapshot);
        return shown(snapshot);
      },
    },
    {
      ...{ method: 'GET', path: '/_dev/snapshots/:name/file', about: 'Exports a snapshot as a tar archive.' },
      async perform({ path }) {
        const snapshot = await find(path.name!);
        return sendFile(subject.draftPath(), `${snapshot.name}.tar`, (draft) => there().exportTo(snapshot, draft));
      },
    },
    {
      ...{ method: 'POST', path: '/_dev/reset', about: 'Goes back to the beginning: { to: "seed" or "empty" }.' },
      async perform({ body }) {
        const members = membersOf(body ?? {}, ['to'], 'body');
        const to = wordIn(members.to, 'to', ['seed', 'empty']) ?? 'seed';
        const snapshot = await beginning(to);
        await restore(snapshot);
        return { to, clock: snapshot.notes.clock };
      },
    },
  ];
  return { calls, gate };
}

const shown = ({ name, at, notes, bytes }: Snapshot) => ({ name, at, clock: notes.clock, bytes });

/** @throws DevError */
function checkedName(name: string): string {
  if (SNAPSHOT_NAME.test(name)) return name;
  const message =
    'a name has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit';
  throw new DevError(400, 'NAME_INVALID', message, 'name');
}

/** @throws DevError */
function checkedParameters(query: URLSearchParams): URLSearchParams {
  for (const name of query.keys()) {
    if (name !== 'name') throw new DevError(400, 'PARAMETER_UNKNOWN', `${name} is no parameter of this call`, name);
  }
  return query;
}
