import { type DevCall, DevError } from '../surface/call.ts';
import type { ExportParts } from './export-world.ts';

/** The call that exports the world; its code is loaded when it is called. */
export function exportCall(partsOf: () => Promise<ExportParts>): DevCall {
  return {
    ...{ method: 'GET', path: '/_dev/world', about: 'Exports the world as a world file has it; ?with_keys=true.' },
    async perform({ query }) {
      for (const name of query.keys()) {
        if (name === 'with_keys') continue;
        throw new DevError(400, 'PARAMETER_UNKNOWN', `${name} is no parameter of this call`, name);
      }
      const withKeys = query.get('with_keys') ?? 'false';
      if (withKeys !== 'true' && withKeys !== 'false') {
        throw new DevError(400, 'INVALID', 'with_keys must be true or false', 'with_keys');
      }
      const { exportWorld } = await import('./export-world.ts');
      return exportWorld(await partsOf(), { withKeys: withKeys === 'true' });
    },
  };
}
