import { join } from 'node:path';
import { openDriver } from '../../src/app/database.ts';
import { startDev } from '../../src/cli/dev.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';
import type { TargetOptions } from './target.ts';

interface Plan extends TargetOptions {
  readonly folder: string;
  readonly settings: Partial<Settings>;
}

// Development mode with what only measurements switch off.
const plan = JSON.parse(process.argv[2]!) as Plan;
const settings = loadSettings({ mode: 'dev', environment: {}, readFile: () => '', flags: plan.settings });
const openSpecial = async (): Promise<Driver> => {
  if (plan.fence === undefined) return openSqlite({ file: join(plan.folder, 'barker.db'), ...plan });
  const driver = await openDriver(settings);
  return plan.fence === 'on' ? driver : { ...driver, readExternalChanges: undefined };
};
const { service, file } = await startDev(settings, {
  reset: false,
  recordsRequests: plan.recordsRequests ?? false,
  // Any other server begins to sync when its world is there.
  isTemporary: plan.isSynced === false,
  seams: { driver: await openSpecial() },
});
process.send!(file);
process.on('message', async () => {
  await service.close();
  process.exit(0);
});

// Whoever measures may be stopped in the middle.
process.on('disconnect', () => process.exit());
