/** The result of a check. `advice` tells what to do about it. */
export interface Finding {
  /** `warning`: works, but should be fixed. `error`: does not work. */
  readonly level: 'ok' | 'warning' | 'error';
  /** One line, without a full stop. */
  readonly says: string;
  readonly advice?: string;
}

/** A check that passed. */
export function ok(says: string): Finding {
  return { level: 'ok', says };
}

/** A problem that should be fixed although the service works. */
export function warning(says: string, advice: string): Finding {
  return { level: 'warning', says, advice };
}

/** A problem that must be fixed. */
export function error(says: string, advice: string): Finding {
  return { level: 'error', says, advice };
}
