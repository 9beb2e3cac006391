import type { Command } from 'commander';
import type { Dependencies } from '../app/dependencies.ts';
import type { Service } from '../app/server.ts';
import type { Settings } from '../settings.ts';
import { CommandFailed } from './failure.ts';
import { addSettings, settingsFrom } from './setting-options.ts';
import { waitForShutdown } from './shutdown.ts';
import { startWarnings } from './start-warnings.ts';
import { letYoungSpaceGrow } from './young-objects.ts';

/** `barker serve`. */
export function configure(command: Command): void {
  addSettings(command, 'serve', [
    'data_folder',
    'role',
    'host',
    'port',
    'sandbox_port',
    'operations_port',
    'public_base_url',
    'tls_cert',
    'tls_key',
  ])
    .addHelpText('after', '\nExample:\n  BARKER_MASTER_KEY_FILE=/run/secrets/key barker serve --config barker.json')
    .action(async () => {
      process.exitCode = await runServe(settingsFrom(command, 'serve'));
    });
}

async function runServe(settings: Settings): Promise<number> {
  const { openDependencies } = await import('../app/dependencies.ts');
  const parts = await openDependencies('serve', settings);
  const { log } = parts;
  for (const warning of startWarnings(settings)) log.warn(warning);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  const starting = start(parts);
  const stopped = waitForShutdown({
    close: async () => (await starting).close(),
    timeout_s: settings.shutdown_timeout_s,
    ended: starting.then((service) => service.superseded),
    // With TLS in this process, SIGHUP reloads a renewed certificate instead of stopping the server.
    ...(settings.tls_cert !== '' && { onHangUp: () => void starting.then((service) => service.reloadCertificate?.()) }),
    log: (message) => log.info(message),
  });
  const { url, sandboxUrl: sandbox_url, operationsUrl: operations_url } = await starting;
  letYoungSpaceGrow();
  const { host, port, sandbox_port, role } = settings;
  const listens = { host, port, sandbox_port };
  log.info({ url, sandbox_url, operations_url, listens, database: parts.driver.dialect, role }, 'ready');
  return stopped;
}

/** Starts the listeners, but not on the database of a demo world. @source decision 5 */
async function start(parts: Dependencies): Promise<Service> {
  const { startListeners } = await import('../app/server.ts');
  const { refuseUnknownKeys } = await import('../app/database.ts');
  if (await parts.store.read((tx) => tx.credentials.findDemo())) {
    await parts.store.close();
    throw new CommandFailed(
      'the database has a demo world, whose keys are not secret; use another database in production',
    );
  }
  await refuseUnknownKeys(parts.driver, parts.settings).catch(async (error) => {
    await parts.store.close();
    throw error;
  });
  return startListeners('serve', parts);
}
