import { mkdirSync } from 'node:fs';
import { openDependencies } from '../../src/app/dependencies.ts';
import { type Service, startListeners } from '../../src/app/server.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings.ts';
import type { Place } from './databases.ts';
import { freePorts } from './ports.ts';

/** Settings of a server as `barker serve` has them, with flags of its own; it listens at `public_base_url`. */
async function settingsToServe(place: Place, flags: Readonly<Record<string, unknown>>): Promise<Settings> {
  const [port, sandbox_port] = await freePorts(2);
  return loadSettings({
    mode: 'serve',
    environment: {},
    readFile: () => '',
    flags: {
      ...{ data_folder: place.folder, database_url: place.databaseUrl, log_level: 'silent', port, sandbox_port },
      ...{ public_base_url: `http://127.0.0.1:${port}`, public_sandbox_url: `http://127.0.0.1:${sandbox_port}` },
      ...{ master_key: 'ab'.repeat(32), operations_port: 0, allow_insecure_loopback: true },
      ...flags,
    },
  });
}

/** Starts a server as `barker serve` does. */
export async function serve(place: Place, flags: Readonly<Record<string, unknown>> = {}): Promise<Service> {
  const settings = await settingsToServe(place, flags);
  mkdirSync(settings.data_folder, { recursive: true, mode: 0o700 });
  return startListeners('serve', await openDependencies('serve', settings));
}
