import { html } from '../../base/html.ts';
import { instantMs } from '../../base/instants.ts';
import { numberText } from '../../base/language.ts';
import type { OperatorPage } from '../../contract/declare/operator-pages.ts';
import { DEAD_AFTER_S, shortNodeId } from '../../contract/store/nodes.ts';
import { alertBox } from '../../markup/boxes.ts';
import { tableOf } from '../../markup/tables.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import { texts } from '../../texts/texts.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { operatorPage } from './operator-forms.ts';

const words = texts.operator;

/** `/operator`: servers, pending work, and the last backup. */
export function overviewPage({ clock, node, version }: OperatorConsoleDeps): OperatorPage {
  return {
    path: '',
    methods: ['GET'],
    async answer({ read }) {
      const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      const { nodes, others, backlogs, verified_at } = await read(async (tx) => ({
        nodes: await tx.nodes.listOthers(''),
        others: await tx.nodes.listLive(node, DEAD_AFTER_S),
        backlogs: await tx.jobs.listBacklogs(now),
        verified_at: await tx.verifiedBackup.find(),
      }));
      // This server is running even if it stores no heartbeats.
      const running = [...nodes.filter(({ id }) => id === node), ...others];
      const servers = running.map((each) => [
        shortNodeId(each.id),
        each.hostname,
        each.roles.replaceAll(',', ', '),
        each.version,
        each.master_keys
          .split(' ')
          .map((key) => key.split(':', 1)[0]!)
          .join(', '),
        each.schema_level,
        timestampElement(each.started_at),
      ]);
      const hasWorker = running.some(({ roles }) => roles.split(',').includes('worker'));
      const waiting = backlogs.map(({ kind, count, since }) => {
        const late_s = Math.max(0, Math.round((clock.now() - instantMs(since)) / 1000));
        return [kind, numberText(count), late_s < 120 ? `${late_s} s` : `${Math.round(late_s / 60)} min`];
      });
      const content = html`<section class="card"><h2>${words.servers}</h2>
${tableOf([words.node, words.host, words.roles, words.version, words.keys, words.schema, words.started], servers, words.noServers)}</section>
<section class="card"><h2>${words.jobs}</h2>${alertBox(hasWorker ? undefined : words.noWorker)}
${tableOf([words.kind, words.due, words.waits], waiting, words.noJobs)}</section>
<section class="card"><h2>${words.backup}</h2>
<p>${verified_at ? html`${words.lastBackup} ${timestampElement(verified_at)}.` : words.noBackup}</p>
<pre tabindex="0">barker backup --folder /var/backups/barker --keep 14</pre></section>
<p class="soft">${words.program(version)}</p>`;
      return operatorPage(words.overview, content);
    },
  };
}
