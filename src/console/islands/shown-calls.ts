import { barkerCommand, curlCommand } from '../../base/call-commands.ts';

/** Longer bodies are not shown: they are files of people. */
const BODY_MAX = 2000;
/** Calls of scripts that are shown at most: the last ones. */
const SHOWN_MAX = 50;
const added: HTMLElement[][] = [];

/** Adds a call of a script to those that the page shows; `sent` is its body. Files that were sent are not shown. */
export function showCall(method: string, target: string, sent: string | FormData | undefined): void {
  const box = document.querySelector<HTMLElement>('details.calls');
  const [, environment, path, query = ''] = /^\/console\/api\/(production|sandbox)([^?]*)\??(.*)$/.exec(target) ?? [];
  if (!box || environment === undefined || path === undefined || sent instanceof FormData) return;
  if (sent !== undefined && sent.length > BODY_MAX) return;
  const call = {
    environment: environment as 'production' | 'sandbox',
    base_url: box.dataset.baseUrl!,
    method,
    path,
    parameters: Object.fromEntries(new URLSearchParams(query)),
    ...(sent !== undefined && { body: JSON.parse(sent) }),
  };
  const line = document.createElement('p');
  line.className = 'call';
  line.append(document.createElement('code'));
  line.firstElementChild!.textContent = `${method} ${path}`;
  const commands = [barkerCommand(call), curlCommand(call)].map((text) => {
    const pre = document.createElement('pre');
    pre.textContent = text;
    return pre;
  });
  const elements = [line, ...commands];
  box.append(...elements);
  added.push(elements);
  if (added.length > SHOWN_MAX) for (const each of added.shift()!) each.remove();
}
