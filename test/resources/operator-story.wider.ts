// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { barkerApart, flagsOf } from '../commands/program.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { type Hands, keyHands, mouseHands } from '../rig/hands.ts';
import { operatorToken } from '../rig/operator.ts';
import { says as pageSays } from '../rig/pages-in-chromium.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let chromium: Chromium;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

describe('an operator', () => {
  for (const [means, handsOf, userName] of [
    ['a mouse', mouseHands, 'harbour'],
    ['keys alone', keyHands, 'lighthouse'],
  ] as const) {
    test(`takes in the first user, who books at once, with ${means}`, async () => {
      const [own, theirs] = [await chromium.tab(), await chromium.tab()];
      await wholeStory({ own, theirs, operator: handsOf(own), user: handsOf(theirs), userName });
      await Promise.all([own.close(), theirs.close()]);
    });
  }
});

interface Parts {
  readonly own: Tab;
  readonly theirs: Tab;
  readonly operator: Hands;
  readonly user: Hands;
  readonly userName: string;
}

async function wholeStory({ own, theirs, operator, user, userName }: Parts): Promise<void> {
  const { operationsUrl } = world.service;
  const token = await operatorToken(world.service, 'anna');
  await own.open(`${operationsUrl}/operator/sign-in?token=${token}`);
  await operator.follow('Sign in');

  await operator.follow('Users');
  await operator.press('Register a user', 'summary');
  await operator.write('screen_name', userName);
  await operator.write('name', 'Harbour Tea');
  await operator.follow('Register a user', 'button');
  const link: string = await own.look("document.querySelector('main pre').textContent");
  recordSecret('password link', new URL(link).search.slice(1));
  await operator.follow('Accounts');
  await operator.press('Create an account', 'summary');
  await operator.write('name', `Tea of ${userName}`);
  await operator.write('admin', userName);
  await operator.write('timezone', 'Europe/Berlin');
  await operator.follow('Create an account', 'button');
  await pageSays(own, /Europe\/Berlin/);
  await operator.pick('status', 'Accepted');
  await operator.write('account-approve-reason', 'Contract signed');
  await operator.follow('Save', 'button');
  await operator.write('currency', 'EUR');
  await operator.write('amount', '5000');
  await operator.write('description', 'Card of the tea house');
  await operator.follow('Add a funding instrument');
  await pageSays(own, /Card of the tea house/);

  const password = 'a sentence that nobody guesses';
  await theirs.open(link);
  await user.write('new_password', password);
  await user.write('new_password_again', password);
  await user.follow('Set password');
  await theirs.open(`${world.service.url}/login`);
  await user.write('username_or_email', userName);
  await user.write('password', password);
  await user.follow('Log in');
  await user.follow(`Tea of ${userName}`);
  await user.follow('Campaigns');
  await user.follow('Create a campaign');
  await pageSays(theirs, /Card of the tea house/);

  await operator.follow('Users');
  await operator.follow(userName);
  await operator.press('Suspend', 'summary');
  await operator.write('user-suspend-reason', 'Sells followers');
  await operator.follow('Suspend', 'button');
  await pageSays(own, /Suspended/);
  await theirs.open(`${world.service.url}/ads`);
  assert.doesNotMatch(await theirs.look('document.body.innerText'), new RegExp(`Tea of ${userName}`));
  await operator.follow('Audit log');
  await pageSays(own, /operator:anna/);
  await pageSays(own, /console user suspend --reason "Sells followers"/);

  // What the page says to run on the machine, with the place of this service.
  await operator.follow('Overview');
  await pageSays(own, /No backup was ever verified|Last verified: /);
  const command: string = await own.look("document.querySelector('main pre').textContent");
  const [program, ...args] = command.split(' ');
  assert.equal(program, 'barker');
  const folder = mkdtempSync(join(tmpdir(), 'barker-backup-'));
  after(() => rmSync(folder, { recursive: true }));
  const at = args.findIndex((each) => each.startsWith('/'));
  const run = await barkerApart([...args.with(at, folder), ...flagsOf(world.place)]);
  assert.equal(run.code, 0, run.stderr);
  const [archive] = readdirSync(folder);
  assert.ok(statSync(join(folder, archive!)).size > 10_000);
  await operator.follow('Overview');
  await pageSays(own, /Last verified: /);
}
