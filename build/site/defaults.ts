import { RATES, type RateSetting } from '../../src/contract/declare/rates.ts';
import { type DescribedService, type SiteValues, valuesOf } from '../../src/http/documentation.ts';
import { settingsTable } from '../../src/settings.ts';

/** A server with default settings. */
export const defaultService: DescribedService = {
  limits: Object.fromEntries(
    Object.values(RATES).map(({ setting }) => [setting, settingsTable[setting].default]),
  ) as Record<RateSetting, number>,
  servers: {
    production: `http://127.0.0.1:${settingsTable.port.default}`,
    sandbox: `http://127.0.0.1:${settingsTable.sandbox_port.default}`,
  },
};

/** The values of pages that no server shows. */
export const defaults: SiteValues = {
  ...valuesOf('Barker', defaultService),
  ...{ html: '.html', index: 'index.html', openapi: 'openapi.json' },
};
