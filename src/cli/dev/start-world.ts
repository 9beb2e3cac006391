import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { accountInput } from '../../app/account-input.ts';
import { type Dependencies, operations } from '../../app/dependencies.ts';
import { formatInstant } from '../../base/instants.ts';
import { seededRandom } from '../../base/random.ts';
import { fillDirectory } from '../../dev/demo-people.ts';
import type { DemoKeys } from '../../dev/demo-world.ts';
import { WORLD_COPY } from '../../dev/dev-folder.ts';
import { DevError } from '../../dev/surface/call.ts';
import { nthUserId, type WorldNames } from '../../dev/world-keys.ts';
import { Complaints } from '../../dev/worlds/checker.ts';
import {
  beginWorld,
  createWorld,
  namesIn,
  passwordsOf,
  type WorldDependencies,
} from '../../dev/worlds/create-world.ts';
import type { ExportParts } from '../../dev/worlds/export-world.ts';
import type { AccountCall } from '../../dev/worlds/fill-account.ts';
import { fillDemoWorld } from '../../dev/worlds/fill-demo.ts';
import { namesOf } from '../../dev/worlds/identities.ts';
import type { World } from '../../dev/worlds/world.ts';
import { worldSchema } from '../../dev/worlds/world-schema.ts';
import type { Settings } from '../../settings.ts';
import { CommandFailed, UsageError } from '../failure.ts';

/** Maximum size of world files: parsing takes up to 500 times as much memory. @source decision 1229 */
const BYTES_MAX = 2_097_152;

/** The operations of the catalog, by id. */
export const operationsById = new Map(operations.map((each) => [each.id, each]));

/** A parsed and valid world file. */
export interface WorldFile {
  /** Initial time of the clock, in Unix milliseconds. */
  readonly clock_ms: number | undefined;
  /**
   * Creates it in an empty database, and returns its keys for `dev.json`.
   * @throws InputErrors if the API refused a part of it
   */
  create(parts: Dependencies): Promise<DemoKeys>;
  /** Rejects a data folder with another world. @throws CommandFailed @source decision 885 */
  refuseOther(dataFolder: string): void;
}

/** Reads a world file. @throws InputErrors, CommandFailed */
export async function readWorldFile(file: string, settings: Settings, now_ms: number): Promise<WorldFile> {
  if (!existsSync(file)) throw new UsageError(`${file} does not exist; barker world init writes one`);
  if (statSync(file).size > BYTES_MAX) {
    throw new UsageError(
      `${file} is larger than ${BYTES_MAX} bytes; barker import reads large numbers of people and posts`,
    );
  }
  const text = readFileSync(file, 'utf8');
  const { callback_schemes: schemes } = settings;
  const now = formatInstant(now_ms);
  const { readWorld } = await import('../../dev/worlds/read-world.ts');
  const world = readWorld(text, file, { operations: operationsById, accountInput, schemes, now });
  return {
    clock_ms: world.clock_ms,
    async create(parts) {
      const complaints = new Complaints(file);
      await fillWith(
        parts,
        world.users.map((_, index) => nthUserId(index)),
        parts.services.clock.now(),
      );
      const keys = await createWorld({ ...parts, operations: operationsById, accountInput }, world, {
        complaints,
        folder: dirname(file),
      });
      complaints.refuse();
      keepText(parts.settings.data_folder, text);
      return { ...keys, world: resolve(file) };
    },
    refuseOther(dataFolder) {
      const path = join(dataFolder, WORLD_COPY);
      if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
      const began = existsSync(path) ? `has a world that began with another text than ${file}` : 'has a world already';
      throw new CommandFailed(`${dataFolder} ${began}; give another folder with --data, or leave --world out`);
    },
  };
}

/** The dependencies of an export of the current world. */
export function exportParts({ services }: Dependencies): ExportParts {
  return { services, operations: operationsById, accountInput };
}

/** Three weeks in milliseconds. */
const PAST_MS = 21 * 86_400_000;

/** Age of a new demo world in milliseconds: zero without people, who create its history. @source decision 1200 */
export function pastOf({ sample_people: users }: Pick<Settings, 'sample_people'>): number {
  return users > 0 ? PAST_MS : 0;
}

/**
 * Creates the contents of the account of the demo world, and people who can see its ads and were active until `now_ms`.
 * Resolves with a function that calls further operations.
 */
export async function fillDemo(parts: Dependencies, keys: DemoKeys, now_ms: number): Promise<AccountCall> {
  const readers = await fillWith(parts, [keys.user_id, keys.other_user_id], now_ms);
  return fillDemoWorld({ ...parts, operations: operationsById, accountInput }, keys, readers);
}

/** Adds the sample people of the settings to the directory; some of them follow these users. */
function fillWith(
  { store, settings }: Dependencies,
  registered: readonly string[],
  now_ms: number,
): ReturnType<typeof fillDirectory> {
  const { seed, sample_people: users } = settings;
  return fillDirectory(store, { seed, users, registered, now: Math.floor(now_ms / 1000) });
}

/** Creates the users, applications and tokens of the world file that a data folder began with, and nothing else. */
export async function beginFromCopy(
  deps: Pick<WorldDependencies, 'settings' | 'box' | 'services' | 'hashPassword'>,
  settings: Settings,
): Promise<void> {
  const path = join(settings.data_folder, WORLD_COPY);
  const world = await worldInCopy(settings, deps.services.clock);
  if (!world) {
    const message = `${path} is gone: the world cannot be made without its accounts`;
    throw new DevError(409, 'BEGINNING_UNKNOWN', message);
  }
  const own = { operations: operationsById, accountInput };
  await beginWorld({ ...deps, ...own }, world, new Complaints(path), { isEmpty: true });
}

/** The names in the world file that a data folder began with; undefined when the world of the database is another. */
export async function namesInCopy({ settings, services }: Dependencies): Promise<WorldNames | undefined> {
  const world = await worldInCopy(settings, services.clock);
  const [first] = world?.users ?? [];
  if (!world || !first) return undefined;
  const user = await services.store.read((tx) => tx.credentials.findUser(nthUserId(0)));
  if (user?.screen_name !== namesOf(first).username) return undefined;
  const passwords = passwordsOf(world, seededRandom(settings.seed, 'world'));
  return { ...namesIn(world, passwords), others: { world: join(settings.data_folder, WORLD_COPY) } };
}

async function worldInCopy(
  { data_folder, callback_schemes: schemes }: Settings,
  clock: Dependencies['services']['clock'],
): Promise<World | undefined> {
  const path = join(data_folder, WORLD_COPY);
  if (!existsSync(path)) return undefined;
  const { readWorld } = await import('../../dev/worlds/read-world.ts');
  const context = { operations: operationsById, accountInput, schemes, now: formatInstant(clock.now()) };
  return readWorld(readFileSync(path, 'utf8'), path, context);
}

function keepText(dataFolder: string, text: string): void {
  const path = join(dataFolder, WORLD_COPY);
  // It may have passwords and secrets.
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600);
}

/** The JSON Schema of world files, as text. */
export function schemaText(): string {
  return `${JSON.stringify(worldSchema(operationsById, accountInput), null, 1)}\n`;
}
