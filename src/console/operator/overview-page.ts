import { html, joinHtml } from '../../base/html.ts';
import type { OperatorPage } from '../../contract/declare/operator-pages.ts';
import { DEAD_AFTER_S } from '../../contract/store/nodes.ts';
import { texts } from '../texts/texts.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';

const words = texts.operator;

/** `/operator`: the servers that are running. */
export function overviewPage(_: OperatorConsoleDeps): OperatorPage {
  return {
    path: '',
    methods: ['GET'],
    async answer({ read }) {
      const nodes = await read((tx) => tx.nodes.listLive('', DEAD_AFTER_S));
      const rows = nodes.map(
        (node) =>
          html`<tr><th scope="row">${node.hostname}</th><td>${node.roles}</td><td>${node.version}</td><td><time datetime="${node.started_at}">${node.started_at}</time></td></tr>`,
      );
      const content = html`<div class="heading"><h1>${words.overview}</h1></div>
<h2>${words.servers}</h2>
${
  rows.length === 0
    ? html`<p class="soft">${words.oneServer}</p>`
    : html`<div class="scroll"><table><thead><tr><th scope="col">${words.host}</th><th scope="col">${words.roles}</th><th scope="col">${words.version}</th><th scope="col">${words.started}</th></tr></thead><tbody>
${joinHtml(rows, '\n')}
</tbody></table></div>`
}`;
      return { status: 200, html: { title: words.overview, content } };
    },
  };
}
