import type { Publisher } from '../../contract/store/publishers.ts';
import type { Settings } from '../../settings.ts';
import { type Finding, ok, warning } from './finding.ts';

const GUIDE = 'docs/operate.md, "Delivering ads"';

/** Checks that ads are delivered in production, and that somebody shows ads where they are served. */
export function examineDelivery(
  { delivery_production, delivery_sandbox }: Pick<Settings, 'delivery_production' | 'delivery_sandbox'>,
  publishers: readonly Publisher[],
): Finding[] {
  const findings: Finding[] = [];
  if (delivery_production === 'off')
    findings.push(warning('no ads are delivered in production', `set delivery_production to served: ${GUIDE}`));
  for (const [environment, mode] of [
    ['production', delivery_production],
    ['sandbox', delivery_sandbox],
  ] as const) {
    if (mode !== 'served') continue;
    const count = publishers.filter((each) => each.environment === environment && each.disabled_at === null).length;
    const advice = `register one: barker publisher create NAME --environment ${environment}`;
    findings.push(
      count === 0
        ? warning(`no publisher may show ads of ${environment}`, advice)
        : ok(`${count === 1 ? '1 publisher' : `${count} publishers`} may show ads of ${environment}`),
    );
  }
  return findings;
}
