import { barkerCommand, type CommandedCall, curlCommand } from '../base/call-commands.ts';
import { type Html, html } from '../base/html.ts';

/** Renders a call as commands of the command line and of curl. */
export function callText(call: CommandedCall): Html {
  return html`<p class="call"><code>${call.method} ${call.path}</code></p>
<pre tabindex="0">${barkerCommand(call)}</pre>
<pre tabindex="0">${curlCommand(call)}</pre>`;
}
