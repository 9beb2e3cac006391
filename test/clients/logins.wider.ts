// On either database: clients know nothing of it.
import { tellLogins } from './logins.ts';

tellLogins({ title: 'Python requests-oauthlib', packages: ['python3-requests-oauthlib'] });
tellLogins({ title: 'Python tweepy', packages: ['python3-tweepy'] });
tellLogins({ title: 'Ruby oauth', packages: ['ruby-oauth'] });
tellLogins({ title: 'Perl Net::OAuth', packages: ['libnet-oauth-perl', 'liblwp-protocol-https-perl'] });
