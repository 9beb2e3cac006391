import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { systemClock } from '../../base/clock.ts';
import { isLoopbackHost } from '../../settings/addresses.ts';
import type { Settings } from '../../settings.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 14;

/** Checks how callers reach the service: public addresses, TLS termination, and the certificate. */
export function examineAddresses(settings: Settings): Finding[] {
  const { public_base_url, public_sandbox_url, tls_cert, trusted_proxies, host, allow_insecure_loopback } = settings;
  const findings: Finding[] = [];
  if (public_base_url === '') {
    const advice = 'set public_base_url to the https address that callers use; signatures cover it';
    findings.push(warning('no public address is set', advice));
  } else findings.push(ok(`callers use ${public_base_url}`));
  if (public_base_url !== '' && public_sandbox_url === '') {
    findings.push(
      warning('the sandbox has no public address', 'set public_sandbox_url if callers should reach the sandbox'),
    );
  } else if (public_sandbox_url !== '') findings.push(ok(`callers of the sandbox use ${public_sandbox_url}`));
  if (tls_cert !== '') findings.push(...examineCertificate(tls_cert, hostsOf(public_base_url, public_sandbox_url)));
  else if (trusted_proxies.length > 0) findings.push(ok(`a proxy at ${trusted_proxies.join(', ')} terminates TLS`));
  else if (isLoopbackHost(host) && allow_insecure_loopback) {
    findings.push(
      warning('callers on this machine use plain HTTP', 'name a proxy in trusted_proxies, or set tls_cert'),
    );
  } else
    findings.push(
      error(
        'nothing terminates TLS, so every request is refused',
        'name the proxy in trusted_proxies, or set tls_cert and tls_key',
      ),
    );
  return findings;
}

function hostsOf(...addresses: readonly string[]): string[] {
  return [...new Set(addresses.filter((address) => address !== '').map((address) => new URL(address).hostname))];
}

function examineCertificate(path: string, hosts: readonly string[]): Finding[] {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(readFileSync(path));
  } catch {
    return [error(`${path} cannot be read as a certificate`, 'correct tls_cert')];
  }
  const days = Math.floor((leaf.validToDate.getTime() - systemClock.now()) / DAY_MS);
  const until = leaf.validToDate.toISOString().slice(0, 10);
  const findings = [
    days < 0
      ? error(`the certificate expired on ${until}`, 'renew it, then send SIGHUP')
      : days < EXPIRES_SOON_DAYS
        ? warning(`the certificate expires on ${until}`, 'renew it, then send SIGHUP')
        : ok(`the certificate is valid until ${until}`),
  ];
  for (const host of hosts) {
    if (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) continue;
    findings.push(error(`the certificate is not for ${host}`, `get a certificate that includes ${host}`));
  }
  return findings;
}
