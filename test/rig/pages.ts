import type { World } from './world.ts';

/** The pages of users, by name: of an account with contents, of an application, and of the tools. */
export async function pagesOf(
  world: World,
  account: string,
): Promise<readonly (readonly [name: string, path: string])[]> {
  const application = await world.service.store.read((tx) =>
    tx.credentials.findApplicationByKey(world.keys.consumer_key),
  );
  const [campaign, line, audience] = [
    await firstOf(world, account, 'campaigns'),
    await firstOf(world, account, 'line_items'),
    await firstOf(world, account, 'custom_audiences'),
  ];
  const ads = `/ads/${account}`;
  const app = `/developer/apps/${application!.id}`;
  return [
    ['accounts', '/ads'],
    ['overview', ads],
    ['campaigns', `${ads}/campaigns`],
    ['new campaign', `${ads}/campaigns/new`],
    ['campaign', `${ads}/campaigns/${campaign}`],
    ['review', `${ads}/campaigns/${campaign}/review`],
    ['line items', `${ads}/line_items`],
    ['new line item', `${ads}/line_items/new?campaign_id=${campaign}`],
    ['line item', `${ads}/line_items/${line}`],
    ['results', `${ads}/results`],
    ['audiences', `${ads}/audiences`],
    ['audience', `${ads}/audiences/${audience}`],
    ['combine audiences', `${ads}/audiences/combine`],
    ['creatives', `${ads}/creatives`],
    ['keywords', `${ads}/keywords`],
    ['developer', '/developer'],
    ['applications', '/developer/apps'],
    ['new application', '/developer/apps/new'],
    ['application', app],
    ['calls and limits', `${app}/calls`],
    ['webhooks', `${app}/webhooks`],
    ['streams', `${app}/streams`],
    ['publishers', '/developer/publishers'],
    ['workbench', '/developer/workbench?operation=campaigns.create'],
    ['signing workbench', '/_dev/workbench?operation=campaigns.create'],
    ['data', '/_dev/data?resource=campaigns'],
    ['requests', '/_dev/requests?operation=none.*'],
    ['signature debugger', '/_dev/debugger'],
    ['clock', '/_dev/clock'],
    ['faults', '/_dev/faults'],
    ['settings', '/settings/profile'],
  ];
}

async function firstOf(world: World, account: string, list: string): Promise<string> {
  const params = { with_draft: true, sort_by: 'name-asc' };
  const { body } = await world.production.call('GET', `/12/accounts/${account}/${list}`, { params });
  return body.data[0].id;
}
