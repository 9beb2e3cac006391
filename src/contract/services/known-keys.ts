import { type SecretBox, UnknownKey } from '../../base/secret-box.ts';
import { Problem } from '../problems/problems.ts';

/** Delay before a retry: an operator has to restart the server, which takes longer than a database failover. */
const RETRY_S = 10;

/**
 * A secret box for the server. Values sealed with a master key that the server lacks stay unreadable until it is
 * started with that key: callers get 503 with `retry-after`, and the log names the key.
 */
export function withKnownKeys(box: SecretBox): SecretBox {
  return {
    ...box,
    open(sealed, context) {
      try {
        return box.open(sealed, context);
      } catch (error) {
        if (!(error instanceof UnknownKey)) throw error;
        const because = `master key ${error.keyId} is not configured; add it to master_keys_old, or make it the master_key, and restart`;
        throw new Problem([{ problem: 'UNAVAILABLE' }], { because, retryAfter_s: RETRY_S });
      }
    },
  };
}
