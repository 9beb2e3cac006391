// On either database: clients know nothing of it.
import { tellLogins } from './logins.ts';

tellLogins({ title: 'npm oauth' });
tellLogins({ title: 'npm oauth-1.0a' });
tellLogins({ title: 'npm passport-oauth1', isServer: true });
tellLogins({ title: 'npm grant', isServer: true });
