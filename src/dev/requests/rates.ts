import { type DevCall, DevError } from '../surface/call.ts';

/** The call that opens all rate windows anew. */
export const rateCalls: readonly DevCall[] = [
  {
    ...{ method: 'POST', path: '/_dev/rates/reset' },
    about: 'Opens all rate windows anew.',
    perform({ listener }) {
      if (listener.resetRates()) return;
      throw new DevError(501, 'RATES_SHARED', 'the rate windows are in Redis, where other servers may count too');
    },
  },
];
