/**
 * Statements that a server runs at times of its own and not for a call: it looks for what commands announced, follows the
 * event log, leases work and stores its outcome, and flushes the usage of applications.
 */
const IN_BACKGROUND =
  /^select "next" from "sequences"|^select .* from "events"|"(jobs|nodes|webhooks|application_usage)"/;

/** Whether a statement runs in the background, where tests that fail a statement of a call must let it pass. */
export const isInBackground = (sql: string): boolean => IN_BACKGROUND.test(sql);
