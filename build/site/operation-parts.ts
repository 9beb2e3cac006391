import { type Html, html, joinHtml, noHtml } from '../../src/base/html.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { RATES, type RateSetting } from '../../src/contract/declare/rates.ts';
import { ROLES } from '../../src/contract/declare/roles.ts';
import { credentialWords } from '../../src/engine/describe/words.ts';
import { rateWords, successorOf } from '../docs/words.ts';

/** The limits as placeholders, which have the name of their setting. */
export const LIMITS = Object.fromEntries(
  Object.values(RATES).map(({ setting }) => [setting, `⟦${setting}⟧`]),
) as Record<RateSetting, string>;

/** The path of the page of an operation. */
export const operationPath = (id: string): string => `reference/${id}`;

/** The path of the page of a group. */
export const groupPath = (name: string): string => `reference/${name.replaceAll(' ', '_')}`;

/** Returns the title of a group. */
export function groupTitle(name: string): string {
  return name === 'oauth' ? 'Tokens' : `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
}

/** The title of the page of an operation: its description without marks. */
export function operationTitle({ description }: Operation): string {
  return description.replace(/\.$/, '').replaceAll('`', '');
}

/** A method. */
export function methodMark({ method }: Operation): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** Method and path. */
export function callLine(operation: Operation): Html {
  return html`${methodMark(operation)} <code class="path">${breakable(operation.path)}</code>${environmentChip(operation)}`;
}

/** A mark for operations of one environment only. */
function environmentChip({ onlyIn }: Operation): Html {
  return onlyIn ? html` <span class="chip">${onlyIn} only</span>` : noHtml;
}

/** A path that may break after slashes and before parameter names. */
function breakable(path: string): Html {
  const pieces = path.split('/').slice(1);
  return html`${pieces.map((piece) => html`/<wbr>${piece.startsWith(':') ? html`<var>${piece}</var>` : piece}`)}`;
}

/** The roles, credential and rate limit of an operation, by what they are called. */
export function operationFacts(operation: Operation): readonly (readonly [name: string, value: string])[] {
  const { aliases = [], credential } = operation;
  const successor = successorOf(operation);
  return [
    ['Roles', rolesWords(operation)],
    ...(credential ? [['Credential', credentialWords(operation)] as const] : []),
    ['Limit', `${rateWords(operation, LIMITS)} (\`${RATES[operation.rate].setting}\`)`],
    ...(aliases.length > 0 ? [['Also', `\`${aliases.join('`, `')}\``] as const] : []),
    ...(successor ? [['Deprecated', `use \`${successor}\``] as const] : []),
  ];
}

function rolesWords({ roles }: Operation): string {
  if (!roles) return 'none needed';
  return roles.length === ROLES.length ? 'any role on the account' : roles.join(', ');
}

/** Links to operations, one a line. */
export function operationLinks(operations: readonly Operation[], item: (operation: Operation) => Html): Html {
  return html`<ul class="calls">${joinHtml(
    operations.map((each) => html`<li>${item(each)}</li>`),
    '\n',
  )}</ul>`;
}
