import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { Field } from '../../contract/declare/fields.ts';
import type { AnyResource, Fields, Row } from '../../contract/declare/resource.ts';
import { AS_TYPED, formField, selectField } from '../../markup/form-fields.ts';
import { inEnglish } from '../../markup/prose.ts';
import { definitionList, tableOf } from '../../markup/tables.ts';
import type { ReadTransaction, Store } from '../../storage/unit-of-work.ts';
import { texts } from '../../texts/texts.ts';
import { type DevCall, type DevReply, devCall } from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';

const words = texts.tools.data;

const PATH = '/_dev/data';
/** Rows on a page. */
const ROWS_MAX = 50;
/** Columns of a list, beside the id. */
const SHOWN = ['account_id', 'name', 'entity_status', 'environment', 'created_at', 'deleted'];

/** The dependencies of the explorer. */
export interface ExplorerOptions {
  readonly store: Store;
  readonly resources: readonly AnyResource[];
  readonly pages: ToolPages;
}

/** The call of the data explorer, which reads the rows of any resource of any account. */
export function explorerCalls({ store, resources: all, pages }: ExplorerOptions): readonly DevCall[] {
  const resources = all.filter((each, at) => all.findIndex(({ table }) => table === each.table) === at);
  const page = (title: string, content: Html, status = 200): DevReply =>
    pages.render('data', { title, content: html`<section class="card">${content}</section>`, status, width: 'full' });
  return [
    devCall(
      `GET ${PATH}`,
      'The data explorer, as a page: rows of any resource; id, resource, field, value.',
      ({ query }) =>
        store.read(async (tx) => {
          const id = query.get('id') ?? '';
          const named = resources.find(({ plural }) => plural === query.get('resource'));
          if (id !== '') {
            for (const resource of named ? [named] : resources) {
              const [row] = await rowsOf(tx, resource, { id });
              if (row) return page(words.rowTitle(resource.label, id), await rowContent(tx, resource, row, resources));
            }
            return page(words.title, html`<p>${words.noRow(id)}</p>\n${searchForm()}`, 404);
          }
          if (named) return page(named.plural, await listContent(tx, named, query));
          return page(words.title, await overview(tx, resources, query.get('account') ?? ''));
        }),
    ),
  ];
}

type Filter = Readonly<Record<string, string | number>>;

/** The newest rows, deleted ones too. */
function rowsOf(tx: ReadTransaction, resource: AnyResource, filter: Filter, after?: readonly string[]): Promise<Row[]> {
  const sort = ['created_at', 'id'].map((column) => ({ column, direction: 'desc', nullable: false }) as const);
  return tx.records.page(resource, { ...conditions(filter), sort, after, limit: ROWS_MAX });
}

function conditions(filter: Filter) {
  const within = Object.fromEntries(Object.entries(filter).map(([column, value]) => [column, [value]]));
  return { account: undefined, deleted: 'shown', within } as const;
}

/** The fields that have a column. */
function columnsOf({ fields, scope }: AnyResource): [name: string, field: Field | undefined][] {
  const own = Object.entries(fields as Fields).filter(([, { kind }]) => kind.column !== 'none');
  return [...(scope === 'account' ? [['account_id', undefined] as [string, undefined]] : []), ...own];
}

async function overview(tx: ReadTransaction, resources: readonly AnyResource[], account: string): Promise<Html> {
  const filter = account === '' ? {} : { account_id: account };
  const owned = resources.filter(({ scope }) => scope === 'account' || account === '');
  const rows = [];
  for (const resource of owned) {
    const { plural, description } = resource;
    const count = await tx.records.count(resource, conditions(filter));
    if (count > 0)
      rows.push([
        html`<a href="${linkTo(plural, Object.entries(filter)[0])}">${plural}</a>`,
        String(count),
        html`<span class="prose">${inEnglish(description)}</span>`,
      ]);
  }
  return html`<p>${words.about}</p>
${searchForm(account)}
${tableOf([words.resource, { number: words.rows }, words.meaning], rows, words.none)}`;
}

/** Finds a row by its id, or what belongs to an account. */
function searchForm(account = ''): Html {
  return html`<form method="get" action="${PATH}" class="filters">
${formField({ member: 'id', label: words.id, attributes: AS_TYPED })}
${formField({ member: 'account', label: words.account, attributes: AS_TYPED }, account)}
<button type="submit">${words.find}</button></form>`;
}

function linkTo(resource: string, filter?: readonly [column: string, value: unknown], after?: Row): string {
  const [field, value] = filter ?? [];
  const members = {
    resource,
    ...(filter && { field: field!, value: String(value) }),
    ...(after && { after: `${after.created_at} ${after.id}` }),
  };
  return `${PATH}?${new URLSearchParams(members)}`;
}

async function listContent(tx: ReadTransaction, resource: AnyResource, query: URLSearchParams): Promise<Html> {
  const columns = columnsOf(resource);
  const [field, entered] = [query.get('field') ?? '', query.get('value') ?? ''];
  const column = columns.find(([name]) => name === field);
  const isNumber = column?.[1]?.kind.column === 'integer';
  const filter = column && entered !== '' ? { [field]: isNumber ? Number(entered) || 0 : entered } : {};
  const rows = await rowsOf(tx, resource, filter, query.get('after')?.split(' '));
  const heads = SHOWN.filter((name) => rows[0] && name in rows[0]);
  const cells = rows.map((row) => [
    html`<a href="${PATH}?resource=${resource.plural}&id=${row.id}">${row.id}</a>`,
    ...heads.map((name) => cellOf(row, name, resource)),
  ]);
  const options = columns.map(([name]) => [name, name] as const);
  const last = rows.length === ROWS_MAX ? rows.at(-1) : undefined;
  return html`<p>${inEnglish(resource.description)} <a href="${PATH}">${words.all}</a></p>
<form method="get" action="${PATH}" class="filters">
<input type="hidden" name="resource" value="${resource.plural}">
${selectField('field', words.field, options, field)}
${formField({ member: 'value', label: words.value, attributes: AS_TYPED }, entered)}
<button type="submit">${words.filter}</button></form>
${tableOf(['id', ...heads], cells, words.none)}
${last ? html`<p><a href="${linkTo(resource.plural, Object.entries(filter)[0], last)}">${words.more}</a></p>` : noHtml}`;
}

async function rowContent(
  tx: ReadTransaction,
  resource: AnyResource,
  row: Row,
  resources: readonly AnyResource[],
): Promise<Html> {
  const values = Object.keys(row).map((name) => [name, cellOf(row, name, resource)] as const);
  const links = [];
  for (const other of resources) {
    for (const [name, field] of columnsOf(other)) {
      const isIt = field?.target?.() === resource || (name === 'account_id' && resource.plural === 'accounts');
      const count = isIt ? await tx.records.count(other, conditions({ [name]: row.id })) : 0;
      if (count > 0)
        links.push(
          html`<li><a href="${linkTo(other.plural, [name, row.id])}">${words.referring(count, other.plural, name)}</a></li>`,
        );
    }
  }
  return html`<p><a href="${linkTo(resource.plural)}">${words.allOf(resource.plural)}</a></p>
${definitionList(values, 'facts long')}
<h2>${words.references}</h2>
${links.length === 0 ? html`<p class="soft">${words.noReferences}</p>` : html`<ul class="ways">\n${joinHtml(links, '\n')}\n</ul>`}`;
}

/** A value, with a link where it is the id of another row. */
function cellOf(row: Row, name: string, { fields }: AnyResource): Html | string {
  const value = row[name];
  if (value === null || value === undefined) return html`<span class="soft">null</span>`;
  const target = (fields as Fields)[name]?.target?.() as AnyResource | undefined;
  const plural = name === 'account_id' ? 'accounts' : target?.plural;
  return plural === undefined ? String(value) : html`<a href="${PATH}?resource=${plural}&id=${value}">${value}</a>`;
}
