import type { DevFile } from '../../dev/dev-folder.ts';
import type { Settings } from '../../settings.ts';
import { queryReadiness } from '../readiness.ts';
import { error, type Finding, ok } from './finding.ts';

/** Queries the readiness of the service, if one runs with these settings. */
export async function examineService(settings: Settings, dev?: DevFile | undefined): Promise<Finding[]> {
  if (settings.operations_port === 0 && !dev) {
    return [ok('the operations port is any free one, so a running service was not looked for')];
  }
  const { url, status, failed } = await queryReadiness(settings, dev);
  if (status === undefined) return [ok(`no service answers at ${url}`)];
  if (status === 200) return [ok(`a service runs and is ready (${url})`)];
  return [error(`a service runs and is not ready: ${failed.join(', ') || status}`, 'its log says why')];
}
