import { instantMs } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { ConsoleDeps } from '../console/console-deps.ts';
import { consolePages } from '../console/console-pages.ts';
import type { Services } from '../contract/declare/operation.ts';
import type { Pages } from '../contract/declare/pages.ts';
import { findOperations } from '../engine/describe/find-operations.ts';
import { hasJsonBody, parameterWords } from '../engine/describe/words.ts';
import {
  createValidate,
  findDelivery,
  lastOutcome,
  requeueDeliveries,
  rotateSecret,
} from '../features/activity/webhooks/administration.ts';
import { findObjective, OBJECTIVES } from '../features/ads/line-items/objectives.ts';
import { previewPage } from '../features/ads/previews/preview-page.ts';
import { previewUrl } from '../features/ads/previews/preview-url.ts';
import { readBreakdown, readReport } from '../features/ads/reports/read-report.ts';
import { TARGETING_TYPES, targetingType } from '../features/ads/targeting-criteria/targeting-types.ts';
import { deviceCookies } from '../features/auth/logins/device-cookies.ts';
import { loginThrottle } from '../features/auth/logins/login-throttle.ts';
import { assemblePages } from '../features/auth/pages/assemble-pages.ts';
import { errorPage } from '../features/auth/pages/error-pages.ts';
import { redirectToLogin } from '../features/auth/pages/layout.ts';
import { sentForms } from '../features/auth/sent-forms.ts';
import { readDeliveryStatus } from '../features/delivery/delivery-status.ts';
import {
  createPublisher,
  disablePublisher,
  publisherNameError,
  rotatePublisher,
} from '../features/delivery/serving/publisher-credentials.ts';
import { explainHour } from '../features/delivery/simulation/explain.ts';
import { verifyPassword } from '../features/platform/password-hashing.ts';
import { usedWindows } from '../http/rate-limiter.ts';
import type { Mode } from '../settings/kinds.ts';
import { passwordRulesOf } from '../settings/logins.ts';
import { type Dependencies, operations } from './dependencies.ts';
import { pick } from './pick.ts';
import type { RequestIntake } from './request-intake.ts';

/** Builds all HTML pages for people: logins, consent, settings, applications, previews, the console. */
export function browserPages(
  mode: Mode,
  deps: Dependencies,
  { usage, rateLimiter }: Pick<RequestIntake, 'usage' | 'rateLimiter'>,
): Pages {
  const { settings, clock, wallClock, store, services, box, grants, hashPassword } = deps;
  const limits = pick(settings, [
    'login_failures_per_account',
    'login_failures_per_address',
    'login_failures_per_user',
  ]);
  return assemblePages(
    {
      ...{ store, clock, wallClock, box, grants, hashPassword, verifyPassword },
      throttle: loginThrottle({ store, clock: wallClock, limits }),
      sentForms: sentForms({ store, clock: wallClock, random: secureRandom, box }),
      devices: deviceCookies({ box, clock: wallClock, random: secureRandom }),
      passwords: passwordRulesOf(settings),
      supportContact: settings.support_contact,
      isDevelopment: mode === 'dev',
      reauthentication_s: settings.reauthentication_s,
      denyRedirect: settings.deny_redirect,
      secrets: secureRandom,
      applicationsMax: settings.applications_per_user_max,
      callbackSchemes: settings.callback_schemes,
      webhooks: {
        validate: createValidate(services, { tellsHints: mode === 'dev' }),
        ...{ rotateSecret, findDelivery, resend: requeueDeliveries, lastOutcome },
      },
      publishers: {
        ...{ create: createPublisher, rotate: rotatePublisher, disable: disablePublisher },
        nameError: publisherNameError,
      },
      ...{ usage, operations },
      describeInput: (operation) => ({ parameters: parameterWords(operation), takesJson: hasJsonBody(operation) }),
      findOperations,
      usedWindows: (application, user) => usedWindows({ rateLimiter, operations }, application, user),
      verifier_ttl_s: settings.verifier_ttl_s,
      linkFor: ({ environment, account_id: account, subject_id: id, user_id: user }) =>
        previewUrl(box, { type: 'DRAFT', environment, account, id, user }),
    },
    [
      previewPage({
        store,
        box,
        clock,
        media: services.media.addresses,
        notFound: () => errorPage('page'),
        redirectToLogin,
      }),
      ...consolePages({
        ...{ clock, redirectToLogin },
        notFound: () => errorPage('page'),
        ...reportsOf(services),
        explainLastHour: explainLastHourOf(services),
        isSimulated: (environment) => services.delivery.mode(environment) === 'simulated',
        targetingType: (type) => {
          if (!Object.hasOwn(TARGETING_TYPES, type)) return undefined;
          const { isPrimary, value } = targetingType(type);
          return { isPrimary, values: value.is === 'word' ? Object.keys(value.words) : [] };
        },
        bidStrategies: (objective) => (Object.hasOwn(OBJECTIVES, objective) ? findObjective(objective).strategies : []),
      }),
    ],
  );
}

/** Reads reports and delivery status, after settling delivery up to now. */
function reportsOf({ store, delivery }: Services): Pick<ConsoleDeps, 'readReport' | 'readBreakdown' | 'readStandings'> {
  return {
    async readReport(account, question) {
      await delivery.settle(account);
      return readReport(store, account, question);
    },
    async readBreakdown(account, question) {
      await delivery.settle(account);
      return readBreakdown(store, account, question);
    },
    async readStandings({ id, environment, timezone }, now, ids) {
      const account = { id, environment, timezone };
      await delivery.settle(account);
      const isSimulated = delivery.mode(environment) === 'simulated';
      return store.read((tx) => readDeliveryStatus(tx, account, { now, ids, isSimulated }));
    },
  };
}

const HOUR_MS = 3_600_000;

/** Explains the previous hour of simulated delivery. */
function explainLastHourOf({ store, delivery }: Services): ConsoleDeps['explainLastHour'] {
  return async ({ id, environment, timezone }, line_item_id, now) => {
    if (delivery.mode(environment) !== 'simulated') return undefined;
    const account = { id, environment, timezone };
    await delivery.settle(account);
    const at_ms = instantMs(now) - HOUR_MS;
    return store.read((tx) => explainHour(tx, account, line_item_id, at_ms, delivery.unitsPerDollar));
  };
}
