import { RATES, type RateSetting } from '../contract/rates.ts';
import { endpointsMarkdown, GENERATED, problemsMarkdown } from '../engine/describe/markdown.ts';
import { openApiOf, type Surroundings } from '../engine/describe.ts';
import { operations } from '../parts.ts';
import { settingsMarkdown } from '../settings/show.ts';
import { settingsTable } from '../settings.ts';
import { coverageMarkdown } from './coverage/markdown.ts';

/** What the descriptions say of a service with the settings that it has by default. */
export const byDefault: Surroundings = {
  servers: {
    production: `http://127.0.0.1:${settingsTable.port.default}`,
    sandbox: `http://127.0.0.1:${settingsTable.sandbox_port.default}`,
  },
  limits: Object.fromEntries(
    Object.values(RATES).map(({ setting }) => [setting, settingsTable[setting].default]),
  ) as Record<RateSetting, number>,
};

/** The documents that follow from the declarations: text by file name. */
export function generatedDocs(): Readonly<Record<string, string>> {
  return {
    'openapi.json': `${JSON.stringify(openApiOf(operations, byDefault), null, 1)}\n`,
    'endpoints.md': endpointsMarkdown(operations, byDefault.limits, coverageMarkdown(operations)),
    'problems.md': problemsMarkdown(operations),
    'settings.md': `# Settings\n\n${GENERATED}\n\n${settingsMarkdown()}`,
  };
}
