import { liveRowsOf } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { DEMO_CONTENTS } from '../demo-contents.ts';
import { type DemoKeys, demoAccountId } from '../demo-world.ts';
import { Complaints } from './checker.ts';
import type { FullDependencies } from './create-world.ts';
import { fillAccount } from './fill-account.ts';
import { locatePlain } from './located.ts';
import { checkWorld } from './world.ts';

/**
 * Creates what is in the account of the demo world: campaigns, posts and what belongs to them.
 * @source decision 902
 */
export async function fillDemoWorld(
  deps: Omit<FullDependencies, 'hashPassword'>,
  keys: DemoKeys,
  now: string,
): Promise<void> {
  const id = demoAccountId(deps.settings);
  const complaints = new Complaints('the demo world');
  const root = locatePlain({
    users: { ada: null, ben: null },
    applications: { demo: null },
    accounts: { demo: DEMO_CONTENTS },
  });
  const { accounts } = checkWorld(root, { ...deps, complaints, now });
  const [demo, instruments] = await deps.services.store.read(async (tx) => [
    await tx.credentials.findDemo(),
    await liveRowsOf(tx, fundingInstruments, id),
  ]);
  const users = new Map([
    ['ada', keys.user_id],
    ['ben', keys.other_user_id],
  ]);
  const ids = { account: id, user: (key: string) => users.get(key)!, instruments: instruments.map((row) => row.id) };
  const caller = { application: demo!.id, tokenId: '', token: keys.access_token };
  await fillAccount(deps, { users, caller }, { account: accounts[0]!, ids }, { complaints, ids: {}, folder: '' });
  complaints.refuse();
}
