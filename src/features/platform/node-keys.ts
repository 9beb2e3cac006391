import { keyFingerprint } from '../../base/secret-box.ts';
import type { StoredNode } from '../../contract/store/nodes.ts';

/** The master keys of a server, the one that seals first: `ID:FINGERPRINT`, separated by spaces. */
export function describeMasterKeys(currentKeyId: string, keys: Readonly<Record<string, Buffer>>): string {
  const { [currentKeyId]: current, ...old } = keys;
  return [[currentKeyId, current!] as const, ...Object.entries(old)]
    .map(([id, key]) => `${id}:${keyFingerprint(key)}`)
    .join(' ');
}

/**
 * Why a server with these keys cannot work beside others: each must be able to open what the others seal. Undefined when
 * it can, or when keys are unknown.
 * @source decision 803
 */
export function keyConflict(
  own: string,
  others: readonly Pick<StoredNode, 'hostname' | 'master_keys'>[],
): string | undefined {
  const [current, ...old] = own.split(' ');
  for (const { hostname, master_keys } of others) {
    if (own === '' || master_keys === '') continue;
    const [its, ...itsOld] = master_keys.split(' ');
    if (![current, ...old].includes(its!)) {
      return `the server on ${hostname} seals secrets with the master key ${its}, which this one does not have`;
    }
    if (![its, ...itsOld].includes(current!)) {
      return `the server on ${hostname} does not have the master key ${current}, with which this one would seal secrets`;
    }
  }
  return undefined;
}

/**
 * The servers whose current key differs from that of `own`: secrets that they store after a resealing still need their key.
 * Servers with unknown keys are left out.
 * @source decision 836
 */
export function serversWithoutCurrent(
  own: string,
  others: readonly Pick<StoredNode, 'hostname' | 'master_keys'>[],
): string[] {
  const [current] = own.split(' ');
  return others
    .filter(({ master_keys }) => master_keys !== '' && master_keys.split(' ')[0] !== current)
    .map(({ hostname }) => hostname);
}
