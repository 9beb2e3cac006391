import { pause } from '../timers.ts';

/** How long a submitted form stays blocked. Sending it again is safe: the server processes it once. */
const PENDING_MS = 10_000;

function setPending(form: HTMLFormElement, isPending: boolean): void {
  for (const button of form.querySelectorAll('button')) {
    if (isPending) button.setAttribute('aria-busy', 'true');
    else button.removeAttribute('aria-busy');
  }
  form.toggleAttribute('data-pending', isPending);
}

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (event.defaultPrevented || form.getAttribute('method') !== 'post') return;
  if (form.hasAttribute('data-pending')) return event.preventDefault();
  setPending(form, true);
  void pause(PENDING_MS).then(() => setPending(form, false));
});

// Pages restored from the back/forward cache keep their DOM state.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-pending]')) setPending(form, false);
});
