import { resource } from '../../contract/declare/resource.ts';
import { audienceFields, audienceRows } from './custom/audience-declaration.ts';
import { shownTailored } from './custom/computed-fields.ts';

/**
 * Tailored audiences: the former name of custom audiences, for those who look at them by it.
 * @source creatives 23
 */
export const tailoredAudiences = resource({
  ...audienceRows,
  name: 'tailored_audience',
  plural: 'tailored_audiences',
  label: 'Tailored audience',
  description: 'The former name of custom audiences.',
  keptIn: 'custom_audiences',
  sequence: 'custom_audience',
  former: { version: '5', now: 'custom_audiences' },
  operations: ['list', 'get'],
  notFound: 'TAILORED_AUDIENCE_NOT_FOUND',
  fields: { ...audienceFields, description: audienceFields.description.hidden() },
  computed: shownTailored,
});
