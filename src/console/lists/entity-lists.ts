import { texts } from '../../texts/texts.ts';

/** A column of a list of campaigns or line items: a field of the API. */
export interface ListColumn {
  readonly name: string;
  readonly label: string;
  /** `state`: the status, with the reasons for not serving. `word`: an enum with labels in `words`. */
  readonly kind: 'text' | 'state' | 'money' | 'day' | 'word';
  readonly words?: Readonly<Record<string, string>>;
  /** Whether the API can sort by it. */
  readonly isSortable?: boolean;
  /** Whether the list edits it in place. */
  readonly isEditable?: boolean;
}

/** A list of entities of an account. */
export interface EntityList {
  /** The resource name: the prefix of its operation ids, and the last segment of page and API paths. */
  readonly resource: 'campaigns' | 'line_items';
  /** The path parameter that holds an id. */
  readonly idName: 'campaign_id' | 'line_item_id';
  readonly columns: readonly ListColumn[];
  /** The parent entities by which the list can be filtered. */
  readonly within: {
    readonly label: string;
    readonly all: string;
    /** The operation that lists the parents, and the filter parameter. */
    readonly operation: 'campaigns.list' | 'funding_instruments.list';
    readonly parameter: 'campaign_ids' | 'funding_instrument_ids';
  };
  readonly words: typeof texts.campaigns | typeof texts.lineItems;
}

const { fields, objectives } = texts.campaign;

const money = (
  name: 'daily_budget_amount_local_micro' | 'total_budget_amount_local_micro' | 'bid_amount_local_micro',
) => ({ name, label: fields[name], kind: 'money', isEditable: true }) as const;
const sortable = (column: ListColumn) => ({ ...column, isSortable: true }) as const;
const day = (name: 'start_time' | 'end_time') =>
  ({ name, label: fields[name], kind: 'day', isSortable: true }) as const;
const named = (): readonly ListColumn[] => [
  { name: 'name', label: fields.name, kind: 'text', isSortable: true, isEditable: true },
  { name: 'entity_status', label: fields.entity_status, kind: 'state' },
];
const budgets = () => [money('daily_budget_amount_local_micro'), money('total_budget_amount_local_micro')] as const;

/** The states by which lists can be filtered. */
export const STATES = ['RUNNING', 'SCHEDULED', 'PAUSED', 'DRAFT', 'EXHAUSTED', 'EXPIRED', 'UNKNOWN'] as const;

/** The entity lists of an account. */
export const entityLists = (): readonly EntityList[] => [
  {
    resource: 'campaigns',
    idName: 'campaign_id',
    words: texts.campaigns,
    columns: [...named(), ...budgets().map(sortable)],
    within: {
      label: fields.funding_instrument_id,
      all: texts.grid.anyPayer,
      operation: 'funding_instruments.list',
      parameter: 'funding_instrument_ids',
    },
  },
  {
    resource: 'line_items',
    idName: 'line_item_id',
    words: texts.lineItems,
    columns: [
      ...named(),
      { name: 'objective', label: fields.objective, kind: 'word', words: objectives },
      sortable(money('bid_amount_local_micro')),
      // The API cannot sort line items by budget.
      ...budgets(),
      day('start_time'),
      day('end_time'),
    ],
    within: {
      label: texts.results.campaign,
      all: texts.grid.allCampaigns,
      operation: 'campaigns.list',
      parameter: 'campaign_ids',
    },
  },
];
