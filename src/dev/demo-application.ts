import type { ApplicationDraft } from '../contract/store/credentials.ts';

/** Where the logins of demo applications come back to. */
export const DEMO_CALLBACK = 'http://127.0.0.1:9911/callback';

/** What the demo application says about itself. */
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
  // Many tutorials rely on it, so what is there to try things out with allows it.
  extra_query: 1,
  email_access: 0,
};
