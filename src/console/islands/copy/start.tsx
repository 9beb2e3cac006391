import { pause } from '../timers.ts';

const DONE_MS = 2000;

// Browsers have a clipboard where a page came over https or from this machine.
for (const button of navigator.clipboard ? document.querySelectorAll<HTMLButtonElement>('button.copy') : []) {
  const text = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling?.textContent ?? '');
    button.textContent = button.dataset.done ?? '';
    await pause(DONE_MS);
    button.textContent = text;
  });
}
