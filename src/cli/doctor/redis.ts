import { elapsed_ms } from '../../base/timers.ts';
import type { Settings } from '../../settings.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Checks the Redis of the settings, if any: whether it answers in time, and keeps its keys. */
export async function examineRedis({
  redis_url: url,
  redis_timeout_ms: timeout_ms,
}: Pick<Settings, 'redis_url' | 'redis_timeout_ms'>): Promise<Finding[]> {
  if (url === '') return [];
  const { connectRedis } = await import('../../storage/redis/connection.ts');
  const reasons: string[] = [];
  const redis = await connectRedis(
    { url, timeout_ms },
    { lost: (reason) => void reasons.push(reason), back: () => {} },
  );
  try {
    const before_ms = elapsed_ms();
    const memory = await redis.run(['rates'], (it) => it.info('memory'));
    const findings = [ok(`Redis answers in ${(elapsed_ms() - before_ms).toFixed(1)} ms`)];
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
    if (policy !== 'noeviction') {
      const advice = 'set maxmemory-policy to noeviction: without their keys, windows begin anew';
      findings.push(warning(`Redis removes keys when its memory is full (${policy})`, advice));
    }
    return findings;
  } catch (failure) {
    const because = reasons[0] ?? (failure as Error).message;
    return [warning(`Redis does not answer: ${because}`, 'start it, or correct redis_url; requests do without it')];
  } finally {
    redis.close();
  }
}
