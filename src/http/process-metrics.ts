import { readdirSync } from 'node:fs';
import { addGauge } from './gauge.ts';
import { Counter, Gauge, type Registry } from './prometheus.ts';

/**
 * Adds the resource usage of this process under the usual Prometheus names. Read when scraped; nothing runs in between.
 */
export function addProcessMetrics(registry: Registry, version: string): void {
  const gauge = (name: string, help: string, value: () => number) => addGauge(registry, name, { help, read: value });
  let usedBefore_s = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system time of this process.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      const used_s = (user + system) / 1e6;
      this.inc(used_s - usedBefore_s);
      usedBefore_s = used_s;
    },
  });
  gauge('process_start_time_seconds', 'Start of this process, Unix seconds.', () => performance.timeOrigin / 1000);
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_heap_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed);
  gauge('process_open_fds', 'Open file descriptors; 0 where the system does not report them.', openFiles);
  let busyBefore = performance.eventLoopUtilization();
  gauge('barker_event_loop_utilization', 'Event loop utilization since the last scrape, 0 to 1.', () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, busyBefore);
    busyBefore = now;
    return utilization;
  });
  new Gauge({ name: 'barker_build_info', help: 'Always 1.', labelNames: ['version', 'node'], registers: [registry] })
    .labels(version, process.version)
    .set(1);
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
