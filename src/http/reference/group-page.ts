import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { replyTables } from '../../engine/describe/member-words.ts';
import { sharedProblems } from '../../engine/describe/words.ts';
import type { DescribedService, Group } from '../../engine/describe.ts';
import { referenceDocument } from './document.ts';
import { memberTable } from './member-table.ts';
import { operationSection } from './operation-section.ts';

/** Returns the title of a group. */
export function groupTitle(name: string): string {
  return name === 'oauth' ? 'Tokens' : `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
}

/** Renders the page of a group: its operations, each with its parameters and the errors that are not common to its family. */
export function groupPage(
  name: string,
  group: Group,
  operations: readonly Operation[],
  { limits }: DescribedService,
): Html {
  const [{ family }] = group.operations as readonly [Operation];
  const common = sharedProblems(operations.filter((each) => each.family === family));
  const title = groupTitle(group.name);
  const links = group.operations.map(
    ({ id, method, description }) => html`<li><a href="#${id}">
      <span class="method small ${method.toLowerCase()}">${method}</span>${description.replace(/\.$/, '')}</a></li>`,
  );
  const sections = group.operations.map((operation) => operationSection(operation, { limits, common }));
  return referenceDocument({
    title,
    name,
    navigation: html`<ul><li><a href="/reference#group-${group.name}">All calls</a></li></ul><ul>${links}</ul>`,
    content: html`<h1>${title}</h1>
${group.operations.some((operation) => operation.groupDescription) ? html`<p class="lead">${group.about}</p>` : ''}
<p class="note">Errors that all calls share are among the <a href="/reference#problems">common errors</a>.</p>
<section class="group">
  <h2 class="unseen">Calls</h2>
  ${memberTables(group)}
  ${joinHtml(sections, '\n')}
</section>`,
  });
}

/** Tables of the named objects in the replies of a group. */
function memberTables(group: Group): readonly Html[] {
  const named = new Map(group.operations.flatMap(replyTables).map((table) => [table.title, table]));
  return [...named.values()].flatMap(({ title: name, members }) =>
    name === undefined
      ? []
      : html`<details class="members"><summary>${name} in replies <span class="soft">${members.length} members</span></summary>
    ${memberTable(members)}</details>`,
  );
}
