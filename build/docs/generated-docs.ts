import { operations } from '../../src/app/dependencies.ts';
import { schemaText } from '../../src/cli/dev/start-world.ts';
import { RATES, type RateSetting } from '../../src/contract/declare/rates.ts';
import { AUDIT_EVENTS, type AuditEvent, LOG_ONLY } from '../../src/contract/store/audit.ts';
import { recordedReply } from '../../src/http/reference/worked-examples.ts';
import { aliasFileSchema } from '../../src/http/vocabulary/alias-file.ts';
import { settingsTable } from '../../src/settings.ts';
import { type DescribedApi, openApiOf } from '../openapi/openapi.ts';
import { coverageMarkdown } from './coverage/markdown.ts';
import { interfaceMarkdown } from './interface-markdown.ts';
import { endpointsMarkdown, GENERATED, problemsMarkdown } from './reference-markdown.ts';
import { scaleMarkdown } from './scale.ts';
import { settingsMarkdown } from './settings.ts';

/** The service that the documents describe: one with default settings. */
export const byDefault: DescribedApi = {
  servers: {
    production: `http://127.0.0.1:${settingsTable.port.default}`,
    sandbox: `http://127.0.0.1:${settingsTable.sandbox_port.default}`,
  },
  limits: Object.fromEntries(
    Object.values(RATES).map(({ setting }) => [setting, settingsTable[setting].default]),
  ) as Record<RateSetting, number>,
  replyOf: recordedReply,
};

function auditMarkdown(): string {
  const rows = Object.entries(AUDIT_EVENTS).map(
    ([event, says]) => `| \`${event}\` | ${says} | ${placeOf(event as AuditEvent)} |`,
  );
  const head = '| Event | What happened | Recorded in |\n|---|---|---|';
  return `# Audit events\n\n${GENERATED}\n\n${head}\n${rows.join('\n')}\n`;
}

function placeOf(event: AuditEvent): string {
  if (event === 'command') return 'database';
  return LOG_ONLY.includes(event) ? 'log' : 'log, database';
}

type LargeDocs = Readonly<Record<'openapi.json' | 'endpoints.md', string>>;

/** The generated documents that are not in the repository: text by file name. @source decision 1311 */
export function largeDocs(): LargeDocs {
  return {
    'openapi.json': `${JSON.stringify(openApiOf(operations, byDefault), null, 1)}\n`,
    'endpoints.md': endpointsMarkdown(operations, byDefault, coverageMarkdown(operations)),
  };
}

/** The other documents that are generated from the declarations: text by file name. */
export function generatedDocs(large: LargeDocs = largeDocs()): Readonly<Record<string, string>> {
  return {
    'interface.md': interfaceMarkdown(large['openapi.json'], large['endpoints.md']),
    'problems.md': problemsMarkdown(operations),
    'aliases.schema.json': `${JSON.stringify(aliasFileSchema, null, 2)}\n`,
    'settings.md': `# Settings\n\n${GENERATED}\n\n${settingsMarkdown()}`,
    'audit.md': auditMarkdown(),
    'world.schema.json': schemaText(),
    'scale.md': `# What services of several sizes need\n\n${GENERATED}\n\n${scaleMarkdown()}`,
  };
}
