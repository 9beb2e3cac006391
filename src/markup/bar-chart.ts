import { type Html, html, joinHtml } from '../base/html.ts';

const WIDTH = 720;
const HEIGHT = 180;
const GAP = 0.25;

/** A bar chart with a title and a description for screen readers. */
export function barChart(of: {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly text: string }[];
}): Html {
  const { id, title, about, bars } = of;
  const top = bars.reduce((best, bar) => (bar.value > best.value ? bar : best));
  const step = WIDTH / bars.length;
  const shapes = bars.map(({ label, value, text }, at) => {
    const height = Math.round((value / Math.max(top.value, 1)) * HEIGHT);
    const x = (at * step + (step * GAP) / 2).toFixed(1);
    return html`<rect x="${x}" y="${HEIGHT - height}" width="${(step * (1 - GAP)).toFixed(1)}" height="${height}"><title>${label}: ${text}</title></rect>`;
  });
  const [first, last] = [bars[0]!.label, bars.at(-1)!.label];
  return html`<figure class="chart-box"><figcaption aria-hidden="true">${title}</figcaption>
<p class="most" aria-hidden="true"><span>${top.value > 0 ? top.text : ''}</span></p>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title ${id}-about">
<title id="${id}-title">${title}</title><desc id="${id}-about">${about}</desc>
<line class="most" x1="0" y1="0" x2="${WIDTH}" y2="0"/>
${joinHtml(shapes, '\n')}
<line x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}"/>
</svg>
<p aria-hidden="true"><span>${first}</span>${first === last ? '' : html`<span>${last}</span>`}</p></figure>`;
}
