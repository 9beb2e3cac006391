import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callSnippets, type SnippetCall } from '../../src/dev/snippets/call-snippets.ts';
import { browserOf } from './browser.ts';
import { dev } from './developer-surface.ts';
import { paste, pasted } from './first-calls.ts';
import { openAccount, type World } from './world.ts';

/** What means something to a shell, to a language or in a URL. */
const NASTY = `it's "5"% \\ $HOME $(id) \`id\` #{1} {{url}} !*'() ü ~ & = + @ 🍞`;
const LINES = `${NASTY}\nEND\nJSON\n`;

/** An integer that a JavaScript number cannot hold. */
const DIGITS = '9007199254740993';

/** Tries copied calls in some languages: with a query, a form, a body in JSON, and further protocol parameters. */
export function trySnippets(languages: readonly string[], world: () => World): void {
  for (const language of languages)
    test(`a call in ${language} is signed and sent as it is meant, whatever its values are`, async () => {
      const { service, keys } = world();
      const { account, instrument } = await openAccount(world().sandbox);
      const call = async (method: string, path: string, parts: Partial<SnippetCall>): Promise<string> => {
        const { access_token, access_token_secret, ...application } = keys;
        const signer = parts.credential === 'consumer' ? application : keys;
        const code = new Map(callSnippets({ method, url: service.sandboxUrl + path, ...parts }, { ...signer })).get(
          language,
        )!;
        return paste(code);
      };
      const lastRequest = async (operation: string) => {
        const { body } = await dev(world(), 'GET', `/_dev/requests?operation=${operation}&limit=1`);
        return (await dev(world(), 'GET', `/_dev/requests/${body.requests[0].id}/json`)).body;
      };
      const campaigns = `/12/accounts/${account}/campaigns`;
      const values = { funding_instrument_id: instrument, daily_budget_amount_local_micro: '5000000' };
      const { data: made } = JSON.parse(
        await call('POST', campaigns, { form: Object.entries({ name: NASTY, ...values, ignored: LINES }) }),
      );
      assert.equal(made.name, NASTY);
      const params = { ...values, name: NASTY };
      const json = `${JSON.stringify([{ operation_type: 'Create', params }], null, 2).slice(0, -5)},\n"ignored": ${DIGITS}}]`;
      const { data: batch } = JSON.parse(await call('POST', `/12/batch/accounts/${account}/campaigns`, { json }));
      assert.equal(batch[0].name, NASTY);
      assert.match((await lastRequest('campaigns.batch')).request.body, new RegExp(`: ${DIGITS}\\b`));
      const query = [
        ...[['with_deleted', 'true'] as const, ['campaign_ids', `${made.id},${batch[0].id}`] as const],
        ...[['zzz', LINES] as const, ['zzz', '9'] as const, ['zzz', '10'] as const, ['a', NASTY] as const],
      ];
      const { data: listed } = JSON.parse(await call('GET', campaigns, { query }));
      assert.deepEqual(listed.map(({ id }: { id: string }) => id).sort(), [made.id, batch[0].id].sort());
      const { target } = await lastRequest('campaigns.list');
      const sent = new URLSearchParams(target.split('?')[1]).getAll('zzz');
      assert.deepEqual(sent.sort(), ['10', '9', LINES].sort());
      const protocol = { oauth_callback: 'oob' };
      const begun = await call('POST', '/oauth/request_token', { protocol, credential: 'consumer' });
      assert.match(begun, /^oauth_token=.*&oauth_callback_confirmed=true\s*$/);
    });
  for (const language of languages)
    test(`what the workbench shows in ${language} works when pasted`, async () => {
      const { account, instrument } = await openAccount(world().sandbox);
      const reply = async (operation: string, fields: Readonly<Record<string, string>>): Promise<string> => {
        const query = new URLSearchParams({ operation, environment: 'sandbox', ...fields });
        const { html } = await browserOf(world().service.url).get(`/_dev/workbench?${query}`);
        return pasted(html, language);
      };
      const { data: made } = JSON.parse(
        await reply('campaigns.create', {
          ...{ p_account_id: account, p_funding_instrument_id: instrument, p_name: NASTY },
          ...{ p_daily_budget_amount_local_micro: '5000000', p_ignored: `${NASTY}\r\nEND\r\n.` },
          // Their order changes as they are encoded.
          more: 'xA=1\nx[y]=2\nx=3\nx=20\nx=1\n10=4',
        }),
      );
      assert.equal(made.name, NASTY);
      const { errors } = JSON.parse(await reply('accounts.get', { p_account_id: "it's (1)* ü/!" }));
      assert.equal(errors[0].code, 'INVALID_ID_ILLEGAL_CHARACTERS');
      const limits = JSON.parse(await reply('application.rate_limit_status', {}));
      assert.ok(limits.resources);
    });
}
