/** English text of error pages: heading and explanation by reason. */
export const errors = {
  start: 'Start page',
  wait: (minutes: number) => `You can try again in about ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`,
  reasons: {
    token: [
      'This link no longer works',
      'This authorization request has expired or was already used. Go back to the application and start again.',
    ],
    'application suspended': [
      'This application is suspended',
      'It cannot be authorized at the moment. You do not need to do anything.',
    ],
    callback: [
      'This callback URL is not approved',
      'The application asked to send you to a callback URL that is not registered for it. It was not given access.',
    ],
    page: ['This page does not exist', 'It may have been removed, or it belongs to another account.'],
    'done before': [
      'This has already been done',
      'The page was out of date, so nothing was changed. Go back and reload it.',
    ],
    'password link': [
      'This link no longer works',
      'A password reset link works once and expires after one hour. Ask for a new one.',
    ],
    'session over': ['This session has already ended', 'That browser is no longer logged in.'],
    'form token': [
      'This page has expired',
      'You may have logged in or out since it was opened, and nothing was changed. Go back, copy what you entered, reload the page and send it from there.',
    ],
    'sent before': [
      'This form was sent before',
      'What became of it is unknown: it may have been done, or still be going on, and it was not done again. Look whether it was; if not, open the page anew and send the form from there.',
    ],
    'user suspended': ['Your account is suspended', 'You cannot use it or authorize applications.'],
    'user locked': ['Your account is locked', 'It is temporarily locked for security reasons.'],
    'too many logins': [
      'Too many login attempts',
      'To protect accounts, logging in is blocked for a while. Try again later.',
    ],
    'too many visits': ['Too many requests', 'Your IP address has requested this page too often. Try again later.'],
    'plain http': ['A secure connection is required', 'This page is available over HTTPS only. Check the URL.'],
    'too large': ['This form is too large', 'Go back, reload the page and try again.'],
    'too slow': ['This form took too long to arrive', 'Your connection may be slow. Go back and submit it again.'],
    unavailable: ['Temporarily unavailable', 'Go back, and try again in a moment.'],
    error: ['Something went wrong', 'Something failed on our side. Go back, and try again later.'],
  },
} as const;
