import type { ApplicationDraft } from '../contract/store/credentials.ts';

/** The callback URL of demo applications. */
export const DEMO_CALLBACK = 'http://127.0.0.1:9911/callback';

/** The details of the demo application. */
export const DEMO_APPLICATION: ApplicationDraft = {
  name: 'Demo application',
  description: 'Tries out what an application can do.',
  website_url: 'https://demo.example/',
  terms_url: '',
  privacy_url: '',
  organization_name: '',
  organization_url: '',
  callbacks: [DEMO_CALLBACK],
  native: 0,
  access_level: 'read-write',
  sign_in: 1,
  // Many tutorials rely on it, so the application for experiments allows it.
  extra_query: 1,
  email_access: 0,
};

/** The applications of the demo world beside the first, one for each other access level. Names are unique. */
export const LEVEL_APPLICATIONS = {
  messages: {
    name: 'Demo messages',
    description: 'Tries out messages and their events.',
    level: 'read-write-directmessages',
    whatFor: 'the application for messages',
  },
  reader: {
    name: 'Demo reader',
    description: 'Reads, and is refused all changes.',
    level: 'read',
    whatFor: 'the application that may only read',
  },
} as const;

/** Which of them. */
export type LevelApplication = keyof typeof LEVEL_APPLICATIONS;

/** Which of them there are. */
export const LEVELS = Object.keys(LEVEL_APPLICATIONS) as LevelApplication[];
