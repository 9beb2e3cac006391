import { render } from 'preact';

const SHOWN_MAX = 6;

const list = document.querySelector<HTMLElement>('[data-island="requests"]');
if (list) {
  new EventSource('/_dev/requests/stream').addEventListener('request', ({ data }) => {
    const { id, direction, method, target, status, failure, operation, duration_ms } = JSON.parse(data);
    const item = document.createElement('li');
    render(
      <>
        <a href={`/_dev/requests/${id}`}>{`${direction === 'out' ? list.dataset.sent : ''}${method} ${target}`}</a>
        <span class="soft">
          <span class={status < 400 && !failure ? 'delivered' : 'failed'}>{status ?? failure}</span>
          {operation && ` · ${operation}`} · {duration_ms} ms
        </span>
      </>,
      item,
    );
    list.prepend(item);
    while (list.children.length > SHOWN_MAX) list.lastElementChild?.remove();
  });
}

for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-login]')) {
  const { login, password } = link.dataset;
  link.addEventListener('click', async (event) => {
    if (!login || !password || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    await enter(link.href, login, password);
    location.assign(link.href);
  });
}

/** Logs a user in, unless the browser is logged in as that user: by the forms that pages have for it. */
async function enter(address: string, name: string, password: string): Promise<void> {
  const page = await fetch(address);
  const text = await page.text();
  if (page.redirected) {
    await send('/login', text, { 'session[username_or_email]': name, 'session[password]': password });
  } else if (!text.includes(`<span>@${name}</span>`)) {
    await send('/logout', text, {});
    await enter(address, name, password);
  }
}

function send(path: string, page: string, members: Readonly<Record<string, string>>): Promise<Response> {
  const hidden = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
  return fetch(path, { method: 'POST', body: new URLSearchParams({ ...fields, ...members }) });
}
