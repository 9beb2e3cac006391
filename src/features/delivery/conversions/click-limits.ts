import { amountMax } from '../../../base/exchange-rates.ts';
import { type ErrorDetail, Problem } from '../../../contract/problems/problems.ts';
import type { ClickConversions } from '../../../storage/tables/conversions.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import type { AdClick } from './click-id.ts';
import type { Conversion } from './read-conversions.ts';

/** The limits of reports by visitors for one click and web event tag: events, and things of each. */
const EVENTS_MAX = 100;
const ITEMS_MAX = 1000;
/** And the sum of their amounts, in a currency like the US dollar. */
const AMOUNT_MAX = 10_000;

/** A conversion that a visitor reported, and the currency of the ad that gets it. */
interface ReportedByVisitor {
  readonly conversion: Conversion;
  readonly click: AdClick;
  readonly currency: string;
  /** The part of its amount that counts. */
  readonly value_micro: number;
}

/**
 * Counts a conversion against the limits of its click, which bound the reports of visitors: click ids are in the
 * address bar. The tag is locked.
 * @throws CONVERSION_BEYOND_CLICK
 * @source decision 1071
 */
export async function countForClick(
  tx: WriteTransaction,
  { conversion, click, currency, value_micro }: ReportedByVisitor,
): Promise<void> {
  const { account_id, click: name, touched_at: clicked_at } = click;
  const key = { account_id, web_event_tag_id: conversion.event_id, click: name };
  const before: Pick<ClickConversions, 'events' | 'value_micro'> = (await tx.conversions.findOfClick(key)) ?? NOTHING;
  const after = { events: before.events + 1, value_micro: before.value_micro + value_micro };
  const amount = amountMax(AMOUNT_MAX, currency);
  const wrong = (parameter: string): ErrorDetail[] => [
    {
      problem: 'CONVERSION_BEYOND_CLICK',
      parameter,
      words: { events: EVENTS_MAX, items: ITEMS_MAX, amount, currency },
    },
  ];
  if (after.events > EVENTS_MAX) throw new Problem(wrong('click_id'));
  if (conversion.number_items > ITEMS_MAX) throw new Problem(wrong('number_items'));
  if (after.value_micro > amount * 1_000_000) throw new Problem(wrong('value'));
  await tx.conversions.saveOfClick({ ...key, ...after, clicked_at });
}

const NOTHING = { events: 0, value_micro: 0 };
