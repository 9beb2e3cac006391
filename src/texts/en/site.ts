import { html } from '../../base/html.ts';

/** English text of the site header, the home page and redirect pages. */
export const site = {
  sections: { ads: 'Ads', developer: 'Developer', notifications: 'Notifications', settings: 'Settings', help: 'Help' },
  skip: 'Skip to the content',
  menu: 'Menu',
  main: 'Main',
  logOut: 'Log out',
  accounts: 'Accounts',
  allAccounts: 'All accounts',
  switchAccount: (name: string) => `Account ${name}: switch`,
  breadcrumb: 'Breadcrumb',
  languages: 'Language',
  done: 'Done',
  callForm: {
    operation: 'Operation',
    operationHint: 'Its name, its path, or words such as “create campaign”.',
    find: 'Find',
    required: 'required',
    fallback: (value: string) => `default ${value}`,
    listOf: (choices: string) => `list of ${choices}`,
    found: (count: number) => (count === 1 ? '1 operation' : `${count} operations`),
  },
  environments: { production: 'Production', sandbox: 'Sandbox' },
  home: {
    title: 'Advertising',
    about: (service: string) =>
      `${service} is an advertising platform: campaigns, creatives, audiences, insights and events, on pages and through an API.`,
    environments: {
      production: 'This address serves the production API: what you create here is real.',
      sandbox: 'This address serves the sandbox API, for trying things out: nothing here runs or costs anything.',
    },
    development: {
      production:
        'This address serves the production API of a development server: nothing that you create here is real.',
      sandbox: 'This address serves the sandbox API of a development server: nothing that you create here is real.',
    },
    ads: ['Your ads', 'Log in to book campaigns and see their results.'],
    reference: ['API reference', 'Every call, with its parameters, limits and errors.'],
    openapi: ['OpenAPI description', 'The same for tools.'],
    applications: ['Your applications', 'Register an application and get its keys.'],
    connected: ['Connected apps', 'See which applications can use your account, and revoke their access.'],
    other: (address: string) => `Go to the other environment, at ${address}.`,
    help: (service: string) =>
      `You need an account to log in. The people who run ${service} create accounts and help when you cannot get in.`,
  },
  operator: {
    signIn: 'Sign in as operator',
    signInButton: 'Sign in',
    signedIn: 'Signed in',
    signedOut: 'You are signed out',
    signedOutAbout: html`On the machine of the server, <code>barker operator link</code> prints a link that signs you in.`,
    oldLink: 'This link no longer works',
    oldLinkAbout: html`A link works once, for ten minutes. Make another one with <code>barker operator link</code>.`,
    notFound: 'This page does not exist',
    overview: 'Overview',
    wrongMethod: 'This method is not allowed',
    wrongName: 'The operator console is not here',
    wrongNameAbout: html`Open it under its address, <code>localhost</code> or <code>operations_host</code>, or through a proxy of <code>trusted_proxies</code>.`,
    outdated: 'This form is out of date',
    outdatedAbout: 'Go back, reload the page, and send it again.',
    noDatabase: 'The database cannot be reached',
    failed: 'Something went wrong',
    failedAbout: 'Try again in a moment. The log of the server says more.',
  },
} as const;
