import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Names this process among all that ever ran, on whatever machine: the machine since it was started, the namespace in which
 * process ids count, and the id. Empty where the system does not tell.
 */
export function processIdentity(): string {
  const machine = machineIdentity();
  return machine === '' ? '' : `${machine} ${process.pid}`;
}

/** Whether a process so named has certainly ended. False for one of another machine, of which nothing is known. */
export function hasEnded(identity: string): boolean {
  const [, machine, pid] = /^(.+) (\d+)$/.exec(identity) ?? [];
  if (pid === undefined || machine !== machineIdentity()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function machineIdentity(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
