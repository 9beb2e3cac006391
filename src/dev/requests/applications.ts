import type { Application } from '../../contract/store/credentials.ts';
import type { Store } from '../../contract/store/store.ts';
import { DevError } from '../surface/call.ts';
import type { ApplicationIdOf } from './matching.ts';

const APPLICATIONS_MAX = 1000;

/** Finds applications by id, consumer key or name; `demo` is the one of the demo world. */
export function applicationFinder(store: Store): ApplicationIdOf {
  return async (named) => {
    const found = await store.read(async ({ credentials }): Promise<Application | undefined> => {
      if (named === 'demo') return credentials.findDemo();
      const all = await credentials.listApplications({ after: '', limit: APPLICATIONS_MAX });
      return (
        all.find(({ id, consumer_key }) => id === named || consumer_key === named) ??
        all.find(({ name }) => name.toLowerCase() === named.toLowerCase())
      );
    });
    if (found) return found.id;
    throw new DevError(400, 'APPLICATION_UNKNOWN', `no application has the id, key or name ${named}`, 'application');
  };
}
