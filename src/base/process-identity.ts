import { readFileSync, readlinkSync } from 'node:fs';

/**
 * An identity of this process among all that ever ran on any machine: the boot id, the pid namespace and the pid. Empty
 * where the system does not provide them.
 */
export function processIdentity(): string {
  const machine = machineIdentity();
  return machine === '' ? '' : `${machine} ${process.pid}`;
}

/** Whether the process with an identity has certainly ended. False for one of another machine. */
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
