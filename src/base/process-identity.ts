import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Identifies this process across machines and reboots: the boot id, the pid namespace and the pid. Empty where the system
 * does not provide them.
 */
export function processIdentity(): string {
  const machine = machineIdentity();
  return machine === '' ? '' : `${machine} ${process.pid}`;
}

/** True only if the process is known to have ended; always false for other machines. */
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
