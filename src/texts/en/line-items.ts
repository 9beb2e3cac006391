/** English text of the list of line items. */
export const lineItems = {
  title: 'Line items',
  none: 'No line items yet',
  noneAbout: 'A line item of a campaign says who sees which ads, when, and for how much. Create a campaign first.',
  count: '{total} {total, plural, one {line item} other {line items}}',
} as const;
