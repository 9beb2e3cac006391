import { formatInstant } from '../../../base/instants.ts';
import { isObject } from '../../../base/objects.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import { id, text } from '../../../contract/declare/fields.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { type ErrorDetail, Problem, problem } from '../../../contract/problems/problems.ts';
import { CLICK_ID_MAX } from './click-id.ts';
import { isAbsent, type Members, readConversion, readOptional } from './read-conversions.ts';
import { findReporter, recordConversions } from './record-conversions.ts';

/**
 * Records events of websites. Since anyone can send them, they are only attributed by click id, at the current time,
 * and within the limits of the click; without a click id, an event only proves that the tag works.
 * @source decision 997 and 1071
 */
export function tagEvents(services: Services) {
  const { store, clock } = services;
  return async (environment: Environment, body: unknown): Promise<void> => {
    const now = formatInstant(clock.now());
    if (!isObject(body)) throw problem('NOT_AN_OBJECT', { parameter: 'event' });
    const errors: ErrorDetail[] = [];
    const add = (error: ErrorDetail): void => void errors.push(error);
    if (isAbsent(body.website_tag_id)) add({ problem: 'MISSING_PARAMETER', parameter: 'website_tag_id' });
    const website_tag_id = readOptional(body.website_tag_id, 'website_tag_id', id(), add) ?? '';
    const click_id = readOptional(body.click_id, 'click_id', text({ max: CLICK_ID_MAX }), add);
    const identifiers = click_id === undefined ? undefined : [{ click_id }];
    const event = { ...pickOptions(body), identifiers, conversion_time: now };
    const read = readConversion(event, '', { now, website_tag_id, mayBeAnonymous: true }, add);
    if (errors.length > 0) throw new Problem(errors);
    const account = await store.read((tx) => findReporter(tx, website_tag_id));
    if (account?.environment !== environment) {
      throw problem('NOT_FOUND', {
        parameter: 'website_tag_id',
        value: website_tag_id,
        words: { kind: 'Website tag' },
      });
    }
    await recordConversions(services, account, [read!], { now, by: 'visitor' });
  };
}

/** The members of an event besides its identifiers. */
function pickOptions({ event_id, conversion_id, value, price_currency, number_items }: Members): Members {
  return { event_id, conversion_id, value, price_currency, number_items };
}
