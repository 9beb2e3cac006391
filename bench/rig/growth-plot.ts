import type { Growth } from './record.ts';
import { show } from './report.ts';

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [640, 360, 64, 44, 36, 190];
const COLOURS = ['#1c5c9c', '#a32a22', '#23743a', '#7a3e9d', '#9a5b00', '#4a5560'];

/** A plot of costs against sizes, both by powers of ten: what is flat is level, what is in proportion rises as the dotted line. */
export function growthPlot({ title, of, unit, lines }: Growth): string {
  const points = Object.values(lines).flat();
  const x = scale(
    points.map(([size]) => size),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = scale(
    points.map(([, cost]) => cost),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...x.ticks.map((size) => `<line x1="${x.at(size)}" y1="${TOP}" x2="${x.at(size)}" y2="${HEIGHT - BOTTOM}"/>`),
    ...y.ticks.map((cost) => `<line x1="${LEFT}" y1="${y.at(cost)}" x2="${WIDTH - RIGHT}" y2="${y.at(cost)}"/>`),
  ];
  const labels = [
    ...x.ticks.map(
      (size) =>
        `<text x="${x.at(size)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    ...y.ticks.map((cost) => `<text x="${LEFT - 8}" y="${y.at(cost) + 4}" text-anchor="end">${show(cost)}</text>`),
  ];
  const drawn = Object.entries(lines).map(([name, those], at) => {
    const colour = COLOURS[at % COLOURS.length]!;
    const path = those.map(([size, cost]) => `${x.at(size)},${y.at(cost)}`).join(' ');
    const dots = those.map(([size, cost]) => `<circle cx="${x.at(size)}" cy="${y.at(cost)}" r="3" fill="${colour}"/>`);
    const label = `<text x="${WIDTH - RIGHT + 12}" y="${TOP + 8 + at * 18}" fill="${colour}">${name}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">
<title>${title}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="20" font-weight="600">${title},${unit}</text>
<g stroke="#ddd">${grid.join('')}</g>
${inProportion(lines, x, y)}
${labels.join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${of}</text>
${drawn.join('\n')}
</svg>
`;
}

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** Whole powers of ten around some values, laid out from one edge to the other. */
function scale(values: readonly number[], from: number, to: number): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
  const at = (value: number): number => Math.round(from + ((Math.log10(value) - low) / (high - low)) * (to - from));
  return { ticks: Array.from({ length: high - low + 1 }, (_, each) => 10 ** (low + each)), at };
}

/** What grows in proportion, from where the first line begins. */
function inProportion(lines: Growth['lines'], x: Scale, y: Scale): string {
  const first = Object.values(lines)[0]?.[0];
  const most = y.ticks.at(-1)!;
  if (!first) return '';
  const reach = Math.min(x.ticks.at(-1)!, (first[0] * most) / first[1]);
  return `<line x1="${x.at(first[0])}" y1="${y.at(first[1])}" x2="${x.at(reach)}" y2="${y.at((first[1] * reach) / first[0])}" stroke="#999" stroke-dasharray="2 4"/>`;
}
