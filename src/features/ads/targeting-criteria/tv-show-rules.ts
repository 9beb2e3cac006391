import type { ChangeSetRule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { referenceEntry } from '../reference/reference-entry.ts';
import { createdCriteria, lineItemIds, liveCriteriaByLineItem, ofTypes } from './created-criteria.ts';
import type { Criterion } from './criteria-rows.ts';

/**
 * Rule: targeting a TV show requires a location, and all locations are in countries of the show. The same applies
 * to locations that are added to line items with TV shows.
 * @source campaigns 10.3; decision 141
 */
export const tvShowsMatchLocations: ChangeSetRule<Criterion> = async (whole) => {
  const created = ofTypes(createdCriteria(whole), 'TV_SHOW', 'LOCATION').filter(
    ({ row }) => row.operator_type === 'EQ',
  );
  if (created.length === 0) return [];
  const shows = await liveCriteriaByLineItem(whole.tx, whole.account.id, lineItemIds(created), ['TV_SHOW']);
  if (shows.size === 0) return [];
  const places = await liveCriteriaByLineItem(whole.tx, whole.account.id, [...shows.keys()], ['LOCATION']);
  return created.flatMap(({ index, row }) => {
    const line = String(row.line_item_id);
    const isShow = row.targeting_type === 'TV_SHOW';
    const there = places.get(line) ?? [];
    if (isShow && there.length === 0) return [{ index, error: NO_PLACE }];
    const outside = isShow
      ? there.some((place) => !isOn(row, place))
      : (shows.get(line) ?? []).some((show) => !isOn(show, row));
    return outside ? [{ index, error: OUTSIDE }] : [];
  });
};

const NO_PLACE: ErrorDetail = { problem: 'INVALID_TV_SHOW_LOCATIONS', parameter: 'targeting_type' };
const OUTSIDE: ErrorDetail = { problem: 'TV_SHOW_OUTSIDE_MARKET', parameter: 'targeting_value' };

function isOn(show: Criterion, place: Criterion): boolean {
  const country = referenceEntry('LOCATION', String(place.targeting_value))?.country_code;
  return country !== undefined && countriesOf(show).includes(country);
}

function countriesOf(show: Criterion): readonly string[] {
  return referenceEntry('TV_SHOW', String(show.targeting_value))?.country_codes ?? [];
}
