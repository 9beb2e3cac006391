import { texts } from '../../texts/texts.ts';

/** A column of a list of campaigns or line items: a field of the API's replies. */
export interface ListColumn {
  readonly name: string;
  readonly label: string;
  /** `state`: the status, with the reasons why it does not serve. `word`: one of `words`. */
  readonly kind: 'text' | 'state' | 'money' | 'day' | 'word';
  readonly words?: Readonly<Record<string, string>>;
  /** Whether the API sorts by it. */
  readonly isSortable?: boolean;
  /** Whether it is edited in the list. */
  readonly isEditable?: boolean;
}

/** A list of an account. */
export interface EntityList {
  /** The resource: the beginning of its operations, and the end of the paths of pages and calls. */
  readonly resource: 'campaigns' | 'line_items';
  /** The path parameter of one of them. */
  readonly idName: 'campaign_id' | 'line_item_id';
  readonly columns: readonly ListColumn[];
  /** The owners of its rows, by which it is filtered. */
  readonly within: {
    readonly label: string;
    readonly all: string;
    /** The list of what they belong to, and the parameter that narrows. */
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
const NAME = { name: 'name', label: fields.name, kind: 'text', isSortable: true, isEditable: true } as const;
const STATE = { name: 'entity_status', label: fields.entity_status, kind: 'state' } as const;
const BUDGETS = [money('daily_budget_amount_local_micro'), money('total_budget_amount_local_micro')] as const;

/** The states that rows can be in, by which lists are narrowed. */
export const STATES = ['RUNNING', 'SCHEDULED', 'PAUSED', 'DRAFT', 'EXHAUSTED', 'EXPIRED', 'UNKNOWN'] as const;

/** The lists of an account. */
export const ENTITY_LISTS: readonly EntityList[] = [
  {
    resource: 'campaigns',
    idName: 'campaign_id',
    words: texts.campaigns,
    columns: [NAME, STATE, ...BUDGETS.map(sortable)],
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
      NAME,
      STATE,
      { name: 'objective', label: fields.objective, kind: 'word', words: objectives },
      sortable(money('bid_amount_local_micro')),
      // The API does not sort line items by their budgets.
      ...BUDGETS,
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
