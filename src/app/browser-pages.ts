import { secureRandom } from '../base/random.ts';
import type { Pages } from '../contract/declare/pages.ts';
import {
  findDelivery,
  lastOutcome,
  resend,
  rotateSecret,
  validating,
} from '../features/activity/webhooks/administration.ts';
import { previewPage } from '../features/ads/previews/preview-page.ts';
import { previewUrl } from '../features/ads/previews/preview-url.ts';
import { knownBrowsers } from '../features/auth/logins/known-browsers.ts';
import { loginThrottle } from '../features/auth/logins/throttle.ts';
import { pagesOf } from '../features/auth/pages/pages.ts';
import { refusal } from '../features/auth/pages/refusals.ts';
import { loginFirst } from '../features/auth/pages/session-pages.ts';
import { hashPassword, isPassword } from '../features/platform/passwords.ts';
import type { Mode } from '../settings/kinds.ts';
import { passwordRulesOf } from '../settings/logins.ts';
import type { Dependencies } from './dependencies.ts';
import { pick } from './pick.ts';

/** Every page that browsers are shown: logins, consent, settings, applications, previews. */
export function browserPages(mode: Mode, { settings, clock, store, services, box, grants }: Dependencies): Pages {
  const limits = pick(settings, [
    'login_failures_per_account',
    'login_failures_per_address',
    'login_failures_per_user',
  ]);
  return pagesOf(
    {
      ...{ store, clock, box, grants, isPassword },
      throttle: loginThrottle({ store, clock, limits }),
      browsers: knownBrowsers({ box, clock, random: secureRandom }),
      hashPassword: (password) => hashPassword(password, secureRandom),
      passwords: passwordRulesOf(settings),
      supportContact: settings.support_contact,
      reauthentication_s: settings.reauthentication_s,
      denyRedirect: settings.deny_redirect,
      secrets: secureRandom,
      applicationsMax: settings.applications_per_user_max,
      callbackSchemes: settings.callback_schemes,
      webhooks: {
        validate: validating(services, { tellsHints: mode === 'dev' }),
        ...{ rotateSecret, findDelivery, resend, lastOutcome },
      },
      verifier_ttl_s: settings.verifier_ttl_s,
      leadsTo: ({ environment, account_id: account, subject_id: id, user_id: user }) =>
        previewUrl(box, { type: 'DRAFT', environment, account, id, user }),
    },
    [previewPage({ store, box, clock, media: services.media.addresses, notFound: () => refusal('page'), loginFirst })],
  );
}
