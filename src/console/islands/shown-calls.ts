import { barkerCommand, curlCommand } from '../../base/call-commands.ts';

/** Maximum length of a displayed body; longer ones are uploads. */
const BODY_MAX = 2000;
/** Maximum number of displayed calls; the oldest are removed. */
const SHOWN_MAX = 50;
const added: HTMLElement[][] = [];

/** Adds a call to the list of calls on the page; `sent` is its body. Uploads are not displayed. */
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
