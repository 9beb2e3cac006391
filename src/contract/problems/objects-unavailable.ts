import { StoreUnavailable } from './store-unavailable.ts';

/**
 * The object store is unavailable at the moment: unreachable, too slow, full, or refusing its credentials. Callers get a
 * 503; background work is repeated a while later, because the database goes on.
 * @source decision 782
 */
export class ObjectsUnavailable extends StoreUnavailable {
  constructor(cause: Error) {
    super(cause, { isOutage: true });
  }
}
