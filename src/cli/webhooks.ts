import { type Command, Option } from 'commander';
import { formatInstant } from '../base/instants.ts';
import { EVERYTHING } from '../contract/store/cache-changes.ts';
import type { DeliveryState, Webhook, WebhookDelivery } from '../contract/store/webhooks.ts';
import {
  findDelivery,
  lastOutcome,
  requeueDeliveries,
  rotateSecret,
} from '../features/activity/webhooks/administration.ts';
import type { ReadTransaction } from '../storage/unit-of-work.ts';
import { runRecorded } from './command-record.ts';
import { addProfileOptions } from './connection-profile.ts';
import { CommandFailed, parseCount, UsageError } from './failure.ts';
import { printFields, printRow } from './output.ts';
import { databaseCommand } from './setting-options.ts';
import { requireApplication, runWrite, withStore } from './units-of-work.ts';

/** `barker webhooks`. */
export function configure(command: Command): void {
  const check = command
    .command('check')
    .description('Run the challenge-response check on a URL, and show what was sent, expected and received')
    .argument('<url>');
  addProfileOptions(check)
    .addHelpText('after', '\nExample:\n  barker webhooks check http://127.0.0.1:3000/in')
    .action(async (url: string) => {
      const { checkWebhook } = await import('./webhooks/check.ts');
      process.exitCode = await checkWebhook(check, url);
    });

  databaseCommand(command, 'list', 'List webhooks, and why invalid ones are invalid', '', listWebhooks).option(
    '--app <consumer-key>',
    'Only webhooks of this application',
  );
  databaseCommand(
    command,
    'deliveries <webhook-id>',
    'List deliveries to a webhook, newest first',
    '1800000000000000001 --state failed --tries',
    listDeliveries,
  )
    .addOption(
      new Option('--state <state>', 'Only deliveries in this state').choices(['pending', 'delivered', 'failed']),
    )
    .option('--count <n>', 'Maximum number', '20')
    .option('--tries', 'Show every attempt');
  databaseCommand(
    command,
    'resend <webhook-id>',
    'Resend deliveries: the same bytes with the same id',
    '1800000000000000001 --failed',
    resendDeliveries,
  )
    .argument('[message-id...]', 'Message ids, as listed by `barker webhooks deliveries`')
    .option('--failed', 'All failed deliveries');
  const rotating = 'Create a new Standard Webhooks secret; the old one keeps signing for one day';
  databaseCommand(command, 'secret <webhook-id>', rotating, '1800000000000000001', createSecret);
}

const READ_AT_ONCE = 1000;

async function listWebhooks(command: Command): Promise<void> {
  const { app } = command.opts<{ app?: string }>();
  const found = await withStore(command, (store) =>
    store.read(async (tx) => {
      const application = app === undefined ? undefined : await requireApplication(tx, app);
      return application ? tx.webhooks.list(application.id) : allWebhooks(tx);
    }),
  );
  for (const { id, url, valid, failure } of found) printRow(id, valid ? 'valid' : 'invalid', url, failure ?? '');
}

async function allWebhooks(tx: ReadTransaction): Promise<Webhook[]> {
  const found: Webhook[] = [];
  for (;;) {
    const page = await tx.webhooks.listAll(found.at(-1)?.id ?? '', READ_AT_ONCE);
    found.push(...page);
    if (page.length < READ_AT_ONCE) return found;
  }
}

async function requireWebhook(tx: ReadTransaction, id: string): Promise<Webhook> {
  const webhook = await tx.webhooks.find(id);
  if (!webhook) throw new CommandFailed(`there is no webhook ${id}; see: barker webhooks list`);
  return webhook;
}

async function listDeliveries(command: Command, webhook: string): Promise<void> {
  const { state, count, tries } = command.opts<{ state?: DeliveryState; count: string; tries?: boolean }>();
  const limit = parseCount(count, 999_999);
  const rows = await withStore(command, (store) =>
    store.read(async (tx) => {
      await requireWebhook(tx, webhook);
      return tx.webhookDeliveries.page({ webhook, state, after: undefined, limit });
    }),
  );
  for (const row of rows) {
    const next = row.next_at === null ? '' : `next ${row.next_at}`;
    const cells = [row.message_id, row.state, row.event_type, row.created_at, `${row.tries.length} tries`];
    printRow(...cells, lastOutcome(row), next);
    if (!tries) continue;
    for (const each of row.tries) printRow(`  ${each.at}`, lastOutcome({ tries: [each] }), `${each.duration_ms} ms`);
  }
}

/** Deliveries to resend per unit of work. */
const RESENT_AT_ONCE = 500;

async function resendDeliveries(command: Command, webhook: string, messages: readonly string[]): Promise<void> {
  const { failed } = command.opts<{ failed?: boolean }>();
  if ((messages.length === 0) === !failed) throw new UsageError('give either message ids or --failed');
  const count = await withStore(command, (store, clock) =>
    runRecorded(command, { store, clock }, async (addTarget) => {
      let sent = 0;
      for (let after: WebhookDelivery | undefined; ; ) {
        const rows = await store.write(async (tx) => {
          const { valid, failure } = await requireWebhook(tx, webhook);
          addTarget('webhook', webhook);
          if (!valid) throw new CommandFailed(`the webhook is invalid (${failure}); validate it again first`);
          const found = failed
            ? await tx.webhookDeliveries.page({ webhook, state: 'failed', after, limit: RESENT_AT_ONCE })
            : await findDeliveries(tx, webhook, messages);
          await requeueDeliveries(tx, found, formatInstant(clock.now()));
          tx.invalidate(EVERYTHING);
          return found;
        });
        sent += rows.length;
        after = rows.at(-1);
        if (!failed || rows.length < RESENT_AT_ONCE) return sent;
      }
    }),
  );
  printFields({ resent: count });
}

async function findDeliveries(
  tx: ReadTransaction,
  webhook: string,
  messages: readonly string[],
): Promise<WebhookDelivery[]> {
  const found: WebhookDelivery[] = [];
  for (const message of messages) {
    const row = await findDelivery(tx, webhook, message);
    if (!row)
      throw new CommandFailed(`there is no delivery of message ${message}; see: barker webhooks deliveries ${webhook}`);
    found.push(row);
  }
  return found;
}

/** Rotates the secret of a webhook and prints the new one. @source decision 404 */
async function createSecret(command: Command, id: string): Promise<void> {
  const secret = await runWrite(command, async (registrar) => {
    const renewed = await rotateSecret(registrar, id);
    if (renewed === undefined) throw new CommandFailed(`there is no webhook ${id}; see: barker webhooks list`);
    registrar.addTarget('webhook', id);
    return renewed;
  });
  printFields({ webhook_secret: secret });
}
