/** Words of the pages of operators. */
export const operator = {
  overview: 'Overview',
  servers: 'Servers',
  oneServer: 'This server works alone: with SQLite there is one.',
  host: 'Host',
  roles: 'Roles',
  version: 'Version',
  started: 'Started',
} as const;
