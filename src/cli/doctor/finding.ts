/** The result of a check. `advice` is the remedy. */
export interface Finding {
  /** `warning`: works, but should be fixed. `error`: does not work. */
  readonly level: 'ok' | 'warning' | 'error';
  /** One line, without a full stop. */
  readonly message: string;
  readonly advice?: string;
}

/** A check that passed. */
export function ok(message: string): Finding {
  return { level: 'ok', message };
}

/** A problem that should be fixed although the service works. */
export function warning(message: string, advice: string): Finding {
  return { level: 'warning', message, advice };
}

/** A problem that must be fixed. */
export function error(message: string, advice: string): Finding {
  return { level: 'error', message, advice };
}
