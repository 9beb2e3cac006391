import { resource } from '../../contract/declare/resource.ts';
import { audienceDeclaration, audienceFields } from './custom/audience-declaration.ts';
import { tailoredAudienceComputed } from './custom/computed-fields.ts';

/**
 * Tailored audiences: custom audiences under their former name, read-only.
 * @source creatives 23
 */
export const tailoredAudiences = resource({
  ...audienceDeclaration,
  name: 'tailored_audience',
  plural: 'tailored_audiences',
  label: 'Tailored audience',
  description: 'The former name of custom audiences.',
  storage: { table: 'custom_audiences' },
  ids: { ...audienceDeclaration.ids, sequence: 'custom_audience' },
  legacy: { version: '5', now: 'custom_audiences' },
  operations: ['list', 'get'],
  notFound: 'TAILORED_AUDIENCE_NOT_FOUND',
  fields: { ...audienceFields, description: audienceFields.description.hidden() },
  computed: tailoredAudienceComputed,
});
