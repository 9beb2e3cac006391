import type { RequestListener } from 'node:http';
import { secureRandom } from '../base/random.ts';
import { operatorPages, operatorSections } from '../console/operator/operator-pages.ts';
import { sentForms } from '../features/auth/sent-forms.ts';
import { redeemOperatorLink } from '../features/platform/operator-links.ts';
import { operatorListener } from '../http/operator/operator-listener.ts';
import type { Branding } from '../http/pages/branding.ts';
import { addressReader, reachReader } from '../http/request-origin.ts';
import { programVersion } from '../version.ts';
import { accountInput } from './account-input.ts';
import type { Dependencies } from './dependencies.ts';

/** Serves the operator console, and passes other requests on to probes and metrics. */
export function operatorConsole(deps: Dependencies, branding: Branding, others: RequestListener): RequestListener {
  const { store, clock, wallClock, box, log } = deps;
  return operatorListener(
    {
      ...{ store, clock, wallClock, box, log, branding },
      random: secureRandom,
      sentForms: sentForms({ store, clock: wallClock, random: secureRandom, box }),
      addressOf: addressReader(deps.settings.trusted_proxies),
      reachOf: reachReader(deps.settings.trusted_proxies, [deps.settings.operations_host.toLowerCase()]),
      useLink: redeemOperatorLink,
      pages: operatorPages({
        ...{ clock, wallClock, accountInput },
        random: secureRandom,
        hashPassword: deps.hashPassword,
        loginUrl: () => deps.servers.production,
        limits: deps.services.ads.limits,
        applicationLimits: deps.services.activity.applicationLimits,
        node: deps.node.id,
        version: programVersion,
      }),
      sections: operatorSections,
    },
    others,
  );
}
