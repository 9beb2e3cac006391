import { unclaimedScheme } from '../../base/callback-schemes.ts';
import type { ReadTransaction } from '../../contract/store/store.ts';
import { listAllApplications } from '../../features/auth/applications/list-applications.ts';
import { registeredCallbacks } from '../../features/auth/callback-urls.ts';
import { type Finding, warning } from './finding.ts';

/** Maximum number of listed callbacks. */
const NAMED_MAX = 5;

/** Finds callbacks that were registered before the rules refused their scheme; they still work. @source decision 601 */
export async function examineCallbacks(tx: ReadTransaction, schemes: readonly string[]): Promise<Finding[]> {
  const found = (await listAllApplications(tx)).flatMap((application) =>
    registeredCallbacks(application)
      .filter((callback) => unclaimedScheme(callback, schemes) !== undefined)
      .map((callback) => `${callback} of ${application.consumer_key} (${application.name})`),
  );
  if (found.length === 0) return [];
  const named = found.slice(0, NAMED_MAX).join(', ');
  const more = found.length > NAMED_MAX ? ` and ${found.length - NAMED_MAX} more` : '';
  return [
    warning(
      `callbacks have a scheme that any app on a device can claim: ${named}${more}`,
      'have their owners register a scheme with a dot, such as com.example.app, or list the scheme in callback_schemes',
    ),
  ];
}
