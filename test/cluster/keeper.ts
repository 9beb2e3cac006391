import { rmSync } from 'node:fs';
import { type ClusterPlan, startCluster } from './cluster.ts';

/**
 * Keeps a cluster until the process that forked this one asks for its end, or has ended itself, however that came. It leads
 * a process group of its own: the terminal's Ctrl-C reaches none of the parts, so that they end in order.
 */
const plan = JSON.parse(process.argv[2]!) as Omit<ClusterPlan, 'write'>;
const isAskedToStop = new Promise<void>((resolve) => {
  process.once('message', () => resolve());
  process.once('disconnect', () => resolve());
});
const starting = startCluster({ ...plan, write: (line) => void process.stdout.write(`${line}\n`) });
let exitCode = 0;
try {
  process.stdout.write(`${(await starting).about}\n`);
  await isAskedToStop;
  await (await starting).stop();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  exitCode = 1;
}
rmSync(plan.folder, { recursive: true, force: true });
process.exit(exitCode);
