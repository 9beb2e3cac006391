import { type Html, html } from '../../base/html.ts';

/** English text of the login and consent pages. */
export const login = {
  title: 'Log in',
  button: 'Log in',
  userName: 'User name',
  password: 'Password',
  wrong: 'Wrong user name or password.',
  first: 'Log in first',
  isIn: 'You are logged in',
  isOut: 'You are logged out',
  as: (name: string, userName: string): Html => html`As <strong>${name}</strong> (@${userName}).`,
  wasReset: 'Your password was reset. Log in with your new password.',
  ways: {
    '/ads': 'Your ads',
    '/settings/profile': 'Your profile',
    '/settings/password': 'Your password',
    '/settings/security': 'Two-step login',
    '/settings/sessions': 'Where you are logged in',
    '/settings/connected_apps': 'Applications that have access to your account',
    '/developer/apps': 'Applications that you have registered',
  },
  help: 'Can’t log in?',
  helpUnknown: 'Contact the operator of this service.',
  helpLink: 'Get help',
  helpMail: (link: Html): Html => html`Write to ${link}.`,
  code: {
    title: 'Enter your code',
    label: 'Code',
    hint: 'The 6-digit code from your authenticator app, or a recovery code.',
    wrong: 'This code is wrong or was already used. Wait for the next one.',
    late: 'That took too long. Log in again.',
    button: 'Continue',
  },
  unsent: {
    logIn: 'Your session had ended. Log in to send what you entered.',
    title: 'Send what you entered?',
    about: 'Your session had ended when you sent the form, so nothing was changed yet. Passwords are asked for again.',
    button: 'Send it',
    discard: 'Do not send it',
  },
  cancel: 'Cancel',
  again: {
    title: 'Confirm that it is you',
    about: 'For your security, enter your password again to continue.',
    kept: 'Your changes are kept and take effect once you confirm.',
    wrong: 'Wrong password. Try again.',
    button: 'Confirm',
  },
  reset: {
    title: 'Set a new password',
    wrong: 'Your password was not set:',
    who: (userName: string): Html => html`For <strong>@${userName}</strong>`,
    about: 'Setting a new password logs you out everywhere. This link works once.',
    button: 'Set password',
    done: 'Your password is set',
  },
  consent: {
    logIn: (service: string, application: string) => `Log in to ${service} to continue to ${application}`,
    title: (service: string, application: string) => `Give ${application} access to your ${service} account?`,
    by: (name: Html): Html => html`Published by ${name}`,
    terms: 'Terms',
    privacy: 'Privacy',
    can: 'It will be able to',
    cannot: 'It will not be able to',
    who: (service: string, name: string, userName: string): Html =>
      html`You are logged in to ${service} as <strong>${name}</strong> (@${userName}).`,
    notYou: 'Not you?',
    pin: 'You will then get a code to enter in the application.',
    redirect: (host: string): Html => html`You will then be redirected to <strong class="host">${host}</strong>`,
    allow: 'Authorize app',
    revoke: (link: string): Html =>
      html`You can revoke access at any time under\n<a href="${link}">connected apps</a>.`,
    given: (application: string) => `You have given ${application} access`,
    enter: (application: string) => `Go back to ${application} and enter this code:`,
    once: (seconds: number) => `It works once, for the next ${lasts(seconds)}. You can close this page afterwards.`,
    denied: (application: string) => `${application} was not authorized`,
    deniedAbout: 'Nothing has changed in your account.',
    back: (application: string) => `Go back to ${application}`,
    leaving: (application: string) => `Going back to ${application}`,
    leavingAbout: 'If you are not redirected, follow this link.',
    open: 'Open the application',
    goOn: (host: string) => `Go on to ${host}`,
  },
  levels: {
    read: 'Read',
    'read-write': 'Read and write',
    'read-write-directmessages': 'Read, write and direct messages',
  },
  abilities: {
    see: 'See your profile and posts',
    seeAccounts: 'See the advertising accounts you have access to',
    manage: 'Manage the advertising accounts you have access to',
    post: 'Post and update your profile on your behalf',
    messages: 'Read and send direct messages on your behalf',
    email: 'See your e-mail address',
    password: 'See your password',
  },
} as const;

function lasts(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 2) return `${seconds} seconds`;
  return minutes === 10 ? 'ten minutes' : `${minutes} minutes`;
}
