/** Hides operations that lack any of the typed words. Without scripts the page is complete and has no filter. */
const box = document.querySelector('.filter');
const input = document.querySelector('#filter');
const status = box.querySelector('[role=status]');
const operations = [...document.querySelectorAll('.operation')];
const phone = window.matchMedia('(max-width: 60rem)');

function narrow() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const operation of operations) {
    const fits = words.every((word) => operation.dataset.search.includes(word));
    operation.hidden = !fits;
    document.querySelector(`[data-link="${operation.id}"]`).hidden = !fits;
    if (fits) shown += 1;
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = group.querySelector('.operation:not([hidden])') === null;
  }
  for (const list of document.querySelectorAll('.contents h2')) {
    list.hidden = list.nextElementSibling.querySelector('li:not([hidden])') === null;
  }
  status.textContent = words.length === 0 ? '' : `${shown} of ${operations.length} calls`;
}

/** On narrow screens the table of contents is above the page, so it starts collapsed. */
function fold() {
  document.querySelector('.contents').open = !phone.matches;
}

box.hidden = false;
input.addEventListener('input', narrow);
phone.addEventListener('change', fold);
fold();
narrow();
