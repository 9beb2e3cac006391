import type { ChangeSetRule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { lineItemsWithCuratedCategory } from '../line-item-curated-categories.ts';
import { referenceEntry } from '../reference/reference-entry.ts';
import { createdCriteria, criteriaQuery, lineItemIds, liveCriteriaByLineItem, ofTypes } from './created-criteria.ts';
import { type Criterion, criteriaRows } from './criteria-rows.ts';

/** PLATFORM targeting values by operating system. */
const PLATFORM_OF_OS: Readonly<Record<string, string>> = { IOS: '0', ANDROID: '1', BLACKBERRY: '2' };

/** The PLATFORM targeting value of a device; undefined for unknown devices. */
export function platformOf(device: string): string | undefined {
  return PLATFORM_OF_OS[referenceEntry('DEVICE', device)?.os_type?.toUpperCase() ?? ''];
}

/**
 * Rule: a platform is not combined with one of its devices, which is narrower.
 * @source campaigns 10.3; decision 142 and 179
 */
export const noBroaderPlatform: ChangeSetRule<Criterion> = async (whole) => {
  const created = ofTypes(createdCriteria(whole), 'PLATFORM', 'DEVICE').filter(({ row }) => row.operator_type === 'EQ');
  if (created.length === 0) return [];
  const live = await liveCriteriaByLineItem(whole.tx, whole.account.id, lineItemIds(created), ['PLATFORM', 'DEVICE']);
  return created.flatMap(({ index, row }) => {
    const others = live.get(String(row.line_item_id)) ?? [];
    const isPlatform = row.targeting_type === 'PLATFORM';
    const clash = others.find((other) => (isPlatform ? isBroader(row, other) : isBroader(other, row)));
    if (!clash) return [];
    const [platform, device] = isPlatform ? [row, clash] : [clash, row];
    return [{ index, error: broader(platform, device) }];
  });
};

function isBroader(platform: Criterion, device: Criterion): boolean {
  if (platform.targeting_type !== 'PLATFORM' || device.targeting_type !== 'DEVICE') return false;
  return platformOf(String(device.targeting_value)) === platform.targeting_value;
}

function broader(platform: Criterion, device: Criterion): ErrorDetail {
  const names = [platform, device].map(({ targeting_type: type, targeting_value: value }) => {
    return referenceEntry(String(type), String(value))?.name ?? String(value);
  });
  const message = `Platform ${names[0]} is broader than device ${names[1]} and cannot be combined with it`;
  return { problem: 'INVALID', attribute: 'targeting_value', words: { message } };
}

/** Rule: line items with a curated category do not target IAB categories. @source campaigns 10.3 */
export const noIabCategoryWithCurated: ChangeSetRule<Criterion> = async (whole) => {
  const created = ofTypes(createdCriteria(whole), 'IAB_CATEGORY');
  const curated = await lineItemsWithCuratedCategory(whole.tx, whole.account.id, lineItemIds(created));
  const message = 'A line item with a curated category cannot target IAB categories';
  return created
    .filter(({ row }) => curated.has(String(row.line_item_id)))
    .map(({ index }) => ({ index, error: { problem: 'INVALID', attribute: 'targeting_value', words: { message } } }));
};

const KINDS = ['ENGAGEMENT_TYPE'];
const SOURCES = ['CAMPAIGN_ENGAGEMENT', 'USER_ENGAGEMENT'];

/**
 * Rule: ENGAGEMENT_TYPE requires CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT, and the reverse. Checked only for batches
 * with both, because single calls could not create the first of a pair.
 * @source campaigns 10.3; decision 140
 */
export const engagementsArePaired: ChangeSetRule<Criterion> = async (whole) => {
  const created = whole.isBatch ? createdCriteria(whole) : [];
  const kinds = ofTypes(created, ...KINDS);
  const sources = ofTypes(created, ...SOURCES);
  if (kinds.length === 0 || sources.length === 0) return [];
  const lines = lineItemIds([...kinds, ...sources]);
  const query = criteriaQuery(whole.account.id, lines, [...KINDS, ...SOURCES]);
  const tallies = await whole.tx.records.tally(criteriaRows, query, ['line_item_id', 'targeting_type']);
  const withSome = (types: readonly string[]) =>
    new Set(tallies.filter((tally) => types.includes(String(tally.targeting_type))).map((tally) => tally.line_item_id));
  const [lacksSource, lacksKind] = [withSome(SOURCES), withSome(KINDS)].map(
    (having) =>
      ({ row }: { row: Criterion }) =>
        !having.has(row.line_item_id),
  );
  return [
    ...kinds.filter(lacksSource!).map(({ index }) => ({
      index,
      error: unpaired('ENGAGEMENT_TYPE needs a criterion of type CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT'),
    })),
    ...sources.filter(lacksKind!).map(({ index, row }) => ({
      index,
      error: unpaired(`${row.targeting_type} needs a criterion of type ENGAGEMENT_TYPE`),
    })),
  ];
};

function unpaired(message: string): ErrorDetail {
  return { problem: 'INVALID', attribute: 'targeting_type', words: { message } };
}
