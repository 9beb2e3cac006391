import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMANDS_WITH_REASON } from '../../src/cli/reasons.ts';
import { OPERATOR_ACTS, type OperatorAct } from '../../src/contract/declare/operator-acts.ts';
import { addApplication, addPerson, type Browser, formsOf, type Person } from '../rig/browser.ts';
import { actInConsole, signInToConsole } from '../rig/operator.ts';
import { makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let anna: Browser;
let ada: Person;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
  anna = await signInToConsole(world.service, 'anna');
  ada = await addPerson(world);
});
after(() => world.close());

/** The page of an act, and what its form is filled with. */
interface Filled {
  readonly path: string;
  readonly members?: Record<string, string>;
}

const reason = 'Case 1';
const ALL = '/operator/accounts';

/** A new object, after these acts on it. */
async function made(path: string, acts: readonly Record<string, string>[]): Promise<string> {
  for (const each of acts) assert.equal((await actInConsole(anna, path, { ...each, reason })).status, 303);
  return path;
}

const user =
  (...acts: string[]) =>
  async (): Promise<Filled> => ({
    path: await made(
      `/operator/users/${(await addPerson(world)).id}`,
      acts.map((act) => ({ act })),
    ),
  });

const application =
  (members: Record<string, string> = {}, ...acts: string[]) =>
  async (): Promise<Filled> => ({
    path: await made(
      `/operator/applications/${(await addApplication(world)).id}`,
      acts.map((act) => ({ act })),
    ),
    members,
  });

const newAccount = (): Record<string, string> => ({
  ...{ name: 'Harbour Tea', admin: ada.name, timezone: 'UTC', environment: 'production' },
});

const account =
  (
    members: (ben: Person) => Record<string, string>,
    acts: (ben: Person) => readonly Record<string, string>[] = () => [],
  ) =>
  async (): Promise<Filled> => {
    const ben = await addPerson(world);
    const { location } = await actInConsole(anna, ALL, newAccount());
    return { path: await made(location!, acts(ben)), members: members(ben) };
  };

const granted = ({ name }: Person): Record<string, string> => ({ user_name: name, role: 'CAMPAIGN_ANALYST' });

const publisher =
  (...acts: string[]) =>
  async (): Promise<Filled> => {
    await makePublisher(world);
    const id = (await world.service.store.read((tx) => tx.publishers.list())).at(-1)!.id;
    const members = { publisher: id };
    return {
      path: await made(
        '/operator/publishers',
        acts.map((act) => ({ act, ...members })),
      ),
      members,
    };
  };

const FILLED: Readonly<Record<OperatorAct, () => Promise<Filled>>> = {
  'user create': async () => ({ path: '/operator/users', members: { screen_name: 'harbour', name: 'Harbour Tea' } }),
  'user link': user(),
  'user suspend': user(),
  'user resume': user('suspend'),
  'user lock': user(),
  'user unlock': user('lock'),
  'account create': async () => ({ path: ALL, members: newAccount() }),
  'account approve': account(() => ({ status: 'REJECTED' })),
  'account grant': account(granted),
  'account revoke': account(
    ({ id }) => ({ user: id }),
    (ben) => [{ act: 'grant', ...granted(ben) }],
  ),
  'account fund': account(() => ({ type: 'CREDIT_LINE', currency: 'EUR', amount: '10' })),
  'account features': account(() => ({})),
  'account limits': account(() => ({ active_campaigns: '7' })),
  'app suspend': application(),
  'app resume': application({}, 'suspend'),
  'app level': application({ level: 'read' }),
  'app limits': application({ webhooks: '1' }),
  'publisher disable': publisher(),
  'publisher enable': publisher('disable'),
  'session end': async () => {
    await signInToConsole(world.service, 'grace');
    const all = await world.service.store.read((tx) => tx.operatorSessions.list());
    const { id_hash: session } = all.find(({ operator }) => operator === 'grace')!;
    return { path: '/operator/sessions', members: { session } };
  },
};

const records = () => world.service.store.read((tx) => tx.audit.listRecords({ event: 'command', limit: 1000 }));

describe('of all that operators do on their pages', () => {
  for (const [name, { needsReason }] of Object.entries(OPERATOR_ACTS)) {
    test(`${name} ${needsReason ? 'needs a reason, which is recorded' : 'needs no reason'}`, async () => {
      const { path, members = {} } = await FILLED[name as OperatorAct]();
      const act = name.split(' ')[1]!;
      const isCreating = act === 'create';
      const form = formsOf((await anna.get(path)).html).find(
        (each) =>
          each.method === 'post' &&
          each.members.act === (isCreating ? undefined : act) &&
          [...each.hidden].every(
            (hidden) => members[hidden] === undefined || each.members[hidden] === members[hidden],
          ) &&
          Object.keys(members).every((member) => Object.hasOwn(each.members, member)),
      );
      assert.ok(form, `${path} has a form that does it`);
      assert.equal(Object.hasOwn(form.members, 'reason'), needsReason);
      const sent = { ...form.members, ...members };
      const before = await records();
      const added = async () => (await records()).filter(({ id }) => !before.some((each) => each.id === id));
      if (needsReason) {
        for (const none of [{ reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(201) }]) {
          const refused = await anna.post(path, { ...sent, ...none });
          assert.equal(refused.status, 400);
          assert.match(refused.html, /role="alert">Give a reason of 1 to 200 characters\.</);
        }
        assert.deepEqual(await added(), [], 'nothing was done');
      }
      const done = await anna.post(path, { ...sent, reason: ' Case "7" ' });
      assert.ok(done.status < 400, done.html);
      const command = `console ${name}${needsReason ? ' --reason "Case \\"7\\""' : ''}`;
      const recorded = (await added()).map((each) => [each.command, each.outcome, each.actor]);
      assert.deepEqual(recorded, [[command, 'done', 'operator:anna']]);
    });
  }
});

test('commands that do what needs a reason on pages take one', () => {
  const others: Partial<Record<OperatorAct, string>> = {
    'user link': 'user password',
    'account revoke': 'account role',
  };
  for (const [name, { needsReason }] of Object.entries(OPERATOR_ACTS))
    if (needsReason) assert.ok(COMMANDS_WITH_REASON.has(others[name as OperatorAct] ?? name), name);
});
