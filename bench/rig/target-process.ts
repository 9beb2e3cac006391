import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDriver } from '../../src/app/database.ts';
import { startDev } from '../../src/cli/dev.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';
import type { TargetOptions } from './target.ts';

const plan = JSON.parse(process.argv[2]!) as TargetOptions & { readonly folder: string };
if (plan.beside) {
  mkdirSync(plan.folder, { recursive: true });
  for (const file of ['dev.json', 'master.key', 'operator.token']) {
    copyFileSync(join(plan.beside, file), join(plan.folder, file));
  }
}
const settings = loadSettings({
  mode: 'dev',
  environment: {},
  readFile: () => '',
  flags: {
    data_folder: plan.folder,
    database_url: plan.databaseUrl,
    redis_url: plan.redisUrl,
    object_store: plan.objects,
    port: 0,
    sandbox_port: 0,
    rate_limits: 'off',
    access_log: plan.accessLog,
    aliases: plan.aliases,
    delivery_sandbox: plan.delivery,
    keyword_memory_bytes_max: plan.keywordMemory,
    active_campaigns_max: 8000,
    application_stream_connections_max: 10_000,
    application_stream_events_per_s: 1_000_000,
    stream_waiting_events_max: 1_000_000,
    stream_waiting_bytes_max: 1_000_000_000,
    stream_behind_max_s: 3600,
  },
});
const isSpecial = plan.synchronous !== undefined || plan.groupCommit !== undefined;
const seams = isSpecial
  ? { driver: openSqlite({ file: join(plan.folder, 'barker.db'), ...plan }) }
  : plan.fence === 'off'
    ? { driver: { ...(await openDriver(settings)), lookForChanges: undefined } as Driver }
    : {};
const { service, file } = await startDev(settings, {
  reset: false,
  recordsRequests: plan.recordsRequests ?? false,
  seams,
});
process.send!(file);
process.on('message', async () => {
  await service.close();
  process.exit(0);
});

// Whoever measures may be stopped in the middle.
process.on('disconnect', () => process.exit());
