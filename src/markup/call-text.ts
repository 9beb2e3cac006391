import { barkerCommand, type CommandedCall, curlCommand } from '../base/call-commands.ts';
import { type Html, html } from '../base/html.ts';

/** A call as developers would make it: with the command line, and with curl. */
export function callText(call: CommandedCall): Html {
  return html`<p class="call"><code>${call.method} ${call.path}</code></p>
<pre>${barkerCommand(call)}</pre>
<pre>${curlCommand(call)}</pre>`;
}
