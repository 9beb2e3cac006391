/** What an examination came to. `advice` is what to do about it. */
export interface Finding {
  /** `warning`: works, but not as an operator would wish. `error`: does not work. */
  readonly level: 'ok' | 'warning' | 'error';
  /** One line, without a full stop. */
  readonly says: string;
  readonly advice?: string;
}

/** Nothing to do. */
export function ok(says: string): Finding {
  return { level: 'ok', says };
}

/** Works, but should be mended. */
export function warning(says: string, advice: string): Finding {
  return { level: 'warning', says, advice };
}

/** Must be mended. */
export function error(says: string, advice: string): Finding {
  return { level: 'error', says, advice };
}
