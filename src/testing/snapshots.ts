import type { Barker, Snapshot } from './types.ts';

/** A snapshot as the server shows it. */
type Shown = Pick<Snapshot, 'name' | 'at' | 'clock' | 'bytes'>;

/** Takes a snapshot. @throws Refused */
export async function takeSnapshot(dev: Barker['dev'], name: string): Promise<Snapshot> {
  const path = `/_dev/snapshots/${encodeURIComponent(name)}` as const;
  const shown = await dev<Shown>('PUT', path);
  return {
    ...shown,
    restore: async () => void (await dev('POST', `${path}/restore`)),
    remove: async () => void (await dev('DELETE', path)),
  };
}
