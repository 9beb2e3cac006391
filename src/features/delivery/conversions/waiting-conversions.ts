import { formatInstant } from '../../../base/instants.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import { findReporter } from './find-reporter.ts';
import type { Conversion } from './read-conversions.ts';
import { planRetry, recordConversions, WAITING_CONVERSIONS } from './record-conversions.ts';

/** Conversions that are looked at in one run. */
const AT_ONCE = 500;

/** Looks again and again whether the clicks of conversions have counted. @source decision 1123 */
export const waitingConversions: JobKind<void> = {
  name: WAITING_CONVERSIONS,
  async prepare({ key: account }, services) {
    const { store, clock } = services;
    const reporter = await store.read((tx) => findReporter(tx, account));
    for (const { id, conversion, reported_by: by } of await store.read((tx) =>
      tx.conversions.listWaiting(account, AT_ONCE),
    )) {
      const report = { now: formatInstant(clock.now()), by, waited: id };
      try {
        if (reporter) await recordConversions(services, reporter, [JSON.parse(conversion) as Conversion], report);
        else await store.write((tx) => tx.conversions.removeWaiting(account, id));
      } catch (error) {
        // That it is beyond the limits of its click, or that its tag is gone, can no longer be reported.
        if (!(error instanceof Problem && error.errors.every(({ problem }) => problem.startsWith('CONVERSION_'))))
          throw error;
        await store.write((tx) => tx.conversions.removeWaiting(account, id));
      }
    }
  },
  async store(tx, { key }, _, now) {
    if ((await tx.conversions.listWaiting(key, 1)).length > 0) await planRetry(tx, key, now);
  },
};
