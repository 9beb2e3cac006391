import { readFileSync } from 'node:fs';

/** The unit of processor time on Linux, in each second. */
const TICKS = 100;

/** Processor time of this process and of the children that it has waited for, in seconds; its own where only Linux tells. */
export function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name of the process may have spaces; user, system, and both of the children are the 14th to the 17th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}
