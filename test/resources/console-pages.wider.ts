// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { importPosts, post } from '../rig/corpus.ts';
import { demoAccount, ownerOf } from '../rig/demo.ts';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { keyHands } from '../rig/hands.ts';
import { operatorToken } from '../rig/operator.ts';
import { openInside } from '../rig/pages-in-chromium.ts';
import { until } from '../rig/patience.ts';
import { chooseFile, fileOf } from '../rig/people-files.ts';
import { JPEG } from '../rig/tiny-media.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let chromium: Chromium;
let account: string;

before(async () => {
  const delivery = { delivery_production: 'simulated', sample_people: 2000 };
  world = await openWorld({
    flags: { rate_limits: 'off', operator_console: true, operations_port: 0, ...delivery },
  });
  account = await demoAccount(world);
  world.clock.advance(3 * 24 * 3600);
  const now_s = world.clock.now() / 1000;
  const written = Array.from({ length: 60 }, (_, number) =>
    post(`9${number}`, `Fresh bread, rye and butter ${number}`, { created_at: now_s - number * number * 140 - 60 }),
  );
  await importPosts(world, written);
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

const inside = (path: string): Promise<Tab> => openInside(chromium, world, path, ownerOf(world));

/** The first id of a list of the account, by name where rows have one. */
async function firstOf(list: string): Promise<string> {
  const { body } = await world.production.call('GET', `/12/accounts/${account}/${list}`, {
    params: { with_draft: true, ...(list !== 'funding_instruments' && { sort_by: 'name-asc' }) },
  });
  return body.data[0].id;
}

/** What is typed into boxes, and the button of the last form. */
const sendLast = (tab: Tab, filling: string): Promise<void> =>
  tab.leave(`${filling} [...document.querySelectorAll('main form')].at(-1).querySelector('button').click()`);

const PAGES: readonly (readonly [name: string, open: () => Promise<Tab>])[] = [
  ['accounts', () => inside('/ads')],
  ['overview', () => inside(`/ads/${account}`)],
  ['overview of a month', () => inside(`/ads/${account}?days=30`)],
  ['campaigns', () => inside(`/ads/${account}/campaigns`)],
  [
    'campaigns added up, of one payer',
    async () => inside(`/ads/${account}/campaigns?totals=yes&within=${await firstOf('funding_instruments')}`),
  ],
  ['campaigns of no name', () => inside(`/ads/${account}/campaigns?q=nothing`)],
  ['campaigns without a script', () => inside(`/ads/${account}/campaigns?view=plain&sort=name-desc`)],
  ['line items', () => inside(`/ads/${account}/line_items`)],
  [
    'line items, one edited',
    async () => {
      const tab = await inside(`/ads/${account}/line_items`);
      await tab.look("document.querySelector('.window button.edit.plain:not(td:nth-child(2) *)').click()");
      await until('a box is open', () => tab.look("document.activeElement.matches('.window input')"));
      await tab.type('lots');
      await tab.press('Enter');
      await until('it is refused', () => tab.look("document.querySelector('.window .fault') !== null"));
      // What is scrolled out of sight has no contrast.
      await tab.look("document.querySelector('.window').scrollTo({ left: 0 })");
      return tab;
    },
  ],
  ['campaign', async () => inside(`/ads/${account}/campaigns/${await firstOf('campaigns')}`)],
  ['new campaign', () => inside(`/ads/${account}/campaigns/new`)],
  [
    'refused campaign',
    async () => {
      const tab = await inside(`/ads/${account}/campaigns/new`);
      const amount = "document.getElementById('total_budget_amount_local_micro').value = 'lots';";
      await sendLast(tab, `document.getElementById('name').value = 'Spring'; ${amount}`);
      assert.equal(await tab.look("document.querySelectorAll('[aria-invalid]').length"), 1);
      return tab;
    },
  ],
  [
    'review of a draft',
    async () => {
      const tab = await inside(`/ads/${account}/campaigns/new`);
      const money = "document.getElementById('total_budget_amount_local_micro').value = '90';";
      await sendLast(tab, `document.getElementById('name').value = 'Winter'; ${money}`);
      await tab.leave(
        "[...document.querySelectorAll('main a')].find((each) => /Review, /.test(each.textContent)).click()",
      );
      return tab;
    },
  ],
  ['review of what runs', async () => inside(`/ads/${account}/campaigns/${await firstOf('campaigns')}/review`)],
  ['line item', async () => inside(`/ads/${account}/line_items/${await firstOf('line_items')}`)],
  ['new line item', async () => inside(`/ads/${account}/line_items/new?campaign_id=${await firstOf('campaigns')}`)],
  [
    'objective of a line item',
    async () => {
      const tab = await inside(`/ads/${account}/campaigns/new`);
      await sendLast(
        tab,
        "document.getElementById('name').value = 'Autumn'; document.getElementById('total_budget_amount_local_micro').value = '90';",
      );
      await tab.leave(
        "[...document.querySelectorAll('main a')].find((each) => each.textContent === 'Add a line item').click()",
      );
      return tab;
    },
  ],
  [
    'several places with a name',
    async () => {
      const tab = await inside(`/ads/${account}/line_items/${await firstOf('line_items')}`);
      const entered =
        "document.getElementById('kind').value = 'LOCATION'; const box = document.getElementById('value');";
      await tab.leave(`${entered} box.value = 'united'; box.closest('form').querySelector('button').click()`);
      assert.ok((await tab.look("document.getElementById('choice').options.length")) > 1);
      return tab;
    },
  ],
  ['results', () => inside(`/ads/${account}/results`)],
  ['results of ads, compared', () => inside(`/ads/${account}/results?level=ads&range=yesterday&compare=yes`)],
  ['results of a campaign', async () => inside(`/ads/${account}/results?campaign_id=${await firstOf('campaigns')}`)],
  ['results of a line item', async () => inside(`/ads/${account}/results?line_item_id=${await firstOf('line_items')}`)],
  [
    'results by age',
    async () => {
      const tab = await inside(`/ads/${account}/results`);
      await sendLast(tab, '');
      return tab;
    },
  ],
  ['results of no days', () => inside(`/ads/${account}/results?range=own&from=2026-02-30&to=`)],
  ['audiences', () => inside(`/ads/${account}/audiences`)],
  [
    'combine audiences',
    async () => {
      const tab = await inside(`/ads/${account}/audiences/combine`);
      for (const name of ['Add a group', 'Add an audience']) {
        const entered = "document.getElementById('g0.l0.audience').selectedIndex = 1;";
        await tab.leave(
          `${entered} [...document.querySelectorAll('main button')].find((each) => each.textContent === '${name}').click()`,
        );
      }
      return tab;
    },
  ],
  ['keywords, none yet', () => inside(`/ads/${account}/keywords`)],
  ['keywords', () => inside(`/ads/${account}/keywords?keywords=bread,coffee&range=week`)],
  ['keywords of a day', () => inside(`/ads/${account}/keywords?keywords=bread&range=day`)],
  ['audience', async () => inside(`/ads/${account}/audiences/${await firstOf('custom_audiences')}`)],
  [
    'audience, a file chosen',
    async () => {
      const tab = await inside(`/ads/${account}/audiences/${await firstOf('custom_audiences')}`);
      await chooseFile(tab, fileOf(['Name,E-Mail,Mobile,Customer', 'Ada Park,ada@one.test,+1 415 555 0142,17']));
      await until('the columns are shown', () =>
        tab.look("document.querySelectorAll('select[id^=people-column-]').length === 4"),
      );
      return tab;
    },
  ],
  ['creatives', () => inside(`/ads/${account}/creatives`)],
  [
    'creatives, a picture chosen',
    async () => {
      const tab = await inside(`/ads/${account}/creatives`);
      await chooseFile(tab, fileOf(JPEG, 'bread.jpg'), 'picture');
      await until('it is uploaded', () => tab.look("document.querySelector('[name=media]') !== null"));
      return tab;
    },
  ],
];

describe('the ads manager is accessible', { concurrency: 4 }, () => {
  for (const [name, open] of PAGES) {
    test(name, async () => {
      const tab = await open();
      await checkFit(tab, `console ${name}`);
      await tab.close();
    });
  }
});

describe('the operator console is accessible', () => {
  const operator = async (path: string): Promise<Tab> => {
    const { operationsUrl } = world.service;
    const tab = await chromium.tab();
    await tab.open(`${operationsUrl}/operator/sign-in?token=${await operatorToken(world.service, 'anna')}`);
    await tab.leave("document.querySelector('button').click()");
    await tab.open(operationsUrl + path);
    return tab;
  };

  for (const [name, path] of [
    ['overview', () => '/operator'],
    ['users', () => '/operator/users'],
    ['user', () => `/operator/users/${world.keys.user_id}`],
    ['accounts', () => '/operator/accounts'],
    ['account', () => `/operator/accounts/${account}`],
    ['applications', () => '/operator/applications'],
    ['sessions', () => '/operator/sessions'],
    ['audit', () => '/operator/audit'],
  ] as const) {
    test(name, async () => {
      const tab = await operator(path());
      await checkFit(tab, `operator ${name}`);
      await tab.close();
    });
  }
});

test('keys alone lead from the accounts to a campaign that is paused', async () => {
  const tab = await inside(`/ads/${account}/campaigns`);
  const hands = keyHands(tab);
  await hands.follow('Cakes to order');
  await hands.follow('Pause');
  assert.match(await tab.look("document.querySelector('main').innerText"), /Paused/);
  await tab.close();
});
