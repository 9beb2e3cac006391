/** English text of the history of a campaign or line item. */
export const history = {
  title: 'History',
  at: 'When',
  who: 'By',
  change: 'Change',
  kinds: { CREATE: 'Created', UPDATE: 'Changed', DELETE: 'Deleted' } as Readonly<Record<string, string>>,
  changed: (what: string, before: string, after: string) => `${what}: ${before} → ${after}`,
  nothing: 'nothing',
} as const;
