import type { Found } from './search.ts';

// The script of every page: copying code, the language of examples, the part of the page that is shown, and the search,
// whose code and records are loaded when they are first needed.

const { root = './', html: extension = '' } = document.documentElement.dataset;
const input = document.querySelector<HTMLInputElement>('#find')!;
const panel = document.querySelector<HTMLElement>('#found')!;
const RESULTS_SHOWN = 8;

for (const code of document.querySelectorAll('pre.code')) {
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.querySelector('code')!.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  const box = element('div', { class: 'copied' });
  code.before(box);
  box.append(code, button);
}

const LANGUAGE = 'documentation language';
for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="language"]')) {
  if (radio.value === localStorage.getItem(LANGUAGE)) radio.checked = true;
  radio.addEventListener('change', () => localStorage.setItem(LANGUAGE, radio.value));
}

const links = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>('.toc a')].map((link) => [link.hash.slice(1), link]),
);
const seen = new IntersectionObserver(
  (entries) => {
    const shown = entries.find(({ isIntersecting }) => isIntersecting);
    if (!shown) return;
    for (const link of links.values()) link.removeAttribute('aria-current');
    links.get(shown.target.id)?.setAttribute('aria-current', 'true');
  },
  { rootMargin: '-80px 0px -70% 0px' },
);
for (const id of links.keys()) {
  const heading = document.getElementById(id);
  if (heading) seen.observe(heading);
}

let searching: Promise<(text: string) => Found[]> | undefined;
async function find(text: string): Promise<Found[]> {
  searching ??= load().catch((error) => {
    searching = undefined;
    throw error;
  });
  return (await searching)(text);
}

async function load(): Promise<(text: string) => Found[]> {
  const [{ searchIn }, response] = await Promise.all([import('./search.ts'), fetch(`${root}search.json`)]);
  return searchIn(await response.json());
}

const isSearchPage = document.body.classList.contains('search');
const given = new URLSearchParams(location.search).get('q')?.trim() ?? '';
if (isSearchPage && given !== '') {
  input.value = given;
  void showAll();
}
input.addEventListener('focus', () => void find(''), { once: true });
input.addEventListener('input', () => void (isSearchPage ? showAll() : showPanel()));
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') close();
  if (event.key === 'ArrowDown') step(event, 0);
});
panel.addEventListener('keydown', (event) => {
  const at = [...panel.querySelectorAll('a')].indexOf(event.target as HTMLAnchorElement);
  if (event.key === 'ArrowDown') step(event, at + 1);
  if (event.key === 'ArrowUp') step(event, at - 1);
  if (event.key === 'Escape') {
    close();
    input.focus();
  }
});
document.addEventListener('keydown', (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (!input.form!.contains(event.target as Node)) close();
});

function step(event: Event, at: number): void {
  event.preventDefault();
  const all = panel.querySelectorAll('a');
  if (at < 0) input.focus();
  else all[Math.min(at, all.length - 1)]?.focus();
}

function close(): void {
  panel.hidden = true;
}

async function showPanel(): Promise<void> {
  const text = input.value.trim();
  if (text === '') return close();
  const found = await find(text);
  // Another letter was typed meanwhile.
  if (text !== input.value.trim()) return;
  const list = element('ul', { class: 'results' });
  list.append(...found.slice(0, RESULTS_SHOWN).map(resultOf));
  const more = element('p', { role: 'status' }, found.length === 0 ? 'Nothing found' : countOf(found));
  panel.replaceChildren(list, more);
  panel.hidden = false;
}

async function showAll(): Promise<void> {
  const text = input.value.trim();
  const found = text === '' ? [] : await find(text);
  if (text !== input.value.trim()) return;
  document.querySelector('#count')!.textContent = text === '' ? '' : `${countOf(found)} for “${text}”`;
  document.querySelector('#results')!.replaceChildren(...found.slice(0, 50).map(resultOf));
  history.replaceState(undefined, '', `?q=${encodeURIComponent(text)}`);
}

function countOf({ length }: readonly Found[]): string {
  return length === 1 ? '1 result' : `${length} results`;
}

function resultOf({ at, page, title, excerpt }: Found): HTMLElement {
  const [path = '', anchor] = at.split('#', 2);
  const link = element('a', { href: `${root}${path}${extension}${anchor === undefined ? '' : `#${anchor}`}` });
  link.append(element('strong', {}, title === '' ? page : title));
  if (title !== '') link.append(element('span', { class: 'where' }, page));
  const text = element('span', { class: 'excerpt' });
  text.append(...excerpt.map((piece, index) => (index % 2 === 1 ? element('mark', {}, piece) : piece)));
  link.append(text);
  const item = element('li', {});
  item.append(link);
  return item;
}

function element(name: string, attributes: Readonly<Record<string, string>>, text = ''): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}
