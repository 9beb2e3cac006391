import type { World } from '../rig/world.ts';

let jobNumber = 1_500_000_000_000_000;

/** A job that has not ended, of the only kind that everybody with a role for statistics may see. */
export async function addStatsJob(world: World, account: string): Promise<string> {
  const id = String(jobNumber++);
  const now = '2026-03-02T17:04:55Z';
  await world.service.store.write((tx) =>
    tx.statsJobs.add({
      ...{ id, account_id: account, status: 'PROCESSING', entity: 'ORGANIC_POST', entity_ids: ['42'] },
      ...{ start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z', granularity: 'TOTAL' },
      ...{ placement: 'ALL_ON_SERVICE', metric_groups: ['ENGAGEMENT'], segmentation_type: null },
      ...{ country: null, platform: null, file_name: null, object_key: null, expires_at: null },
      ...{ created_at: now, updated_at: now },
    }),
  );
  return id;
}
