/** English text of the list of accounts. */
export const accounts = {
  title: 'Accounts',
  about: 'Advertising accounts that you have a role on.',
  name: 'Name',
  id: 'Id',
  zone: 'Time zone',
  state: 'State',
  states: { ACCEPTED: 'Accepted', UNDER_REVIEW: 'Under review', REJECTED: 'Rejected' } as Readonly<
    Record<string, string>
  >,
  none: 'You have no account yet',
  noneAbout: 'Operators create accounts for production. You can create one in the sandbox yourself, to try things out.',
  create: 'Create a sandbox account',
} as const;
