import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collected } from './collect.ts';
import { growthPlot } from './growth-plot.ts';
import type { Machine } from './machine.ts';
import type { Figure, Growth } from './record.ts';
import { median, show } from './report.ts';

/** One run of a benchmark, and when it ended. */
type Reported = Collected & { readonly at: string };

/**
 * Adds a run to the page, with its plots and the raw figures beside it. Those of other benchmarks stay if they are of the same
 * program on the same machine, so that a report of an hour can be interrupted.
 */
export function addToReport(folder: string, machine: Machine, run: Collected, order: readonly string[]): void {
  const others = formerRuns(folder, machine).filter(({ name }) => name !== run.name);
  const runs = [...others, { ...run, at: new Date().toISOString() }];
  runs.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  writeReport(folder, machine, runs);
}

function formerRuns(folder: string, machine: Machine): readonly Reported[] {
  const file = join(folder, 'figures.json');
  if (!existsSync(file)) return [];
  const former = JSON.parse(readFileSync(file, 'utf8')) as { machine: Machine; runs: readonly Reported[] };
  const same = (['program', 'node', 'processor', 'processors', 'memory_gb', 'kernel'] as const).every(
    (name) => former.machine[name] === machine[name],
  );
  return same ? former.runs : [];
}

function writeReport(folder: string, machine: Machine, runs: readonly Reported[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const plots: string[] = [];
  const sections = runs.map((run) =>
    sectionOf(run, (growth) => {
      const file = `growth-${plots.length + 1}.svg`;
      plots.push(file);
      writeFileSync(join(folder, file), growthPlot(growth));
      return file;
    }),
  );
  writeFileSync(join(folder, 'figures.json'), `${JSON.stringify({ machine, runs }, null, 1)}\n`);
  writeFileSync(join(folder, 'README.md'), `${[head(machine), ...sections].join('\n\n')}\n`);
}

function head({ at, commit, version, node, processor, processors, memory_gb, kernel, load }: Machine): string {
  return `# Figures of one version

Written by \`npm run bench -- NAME… --report\`; what each benchmark compares is said in [benchmarks.md](../benchmarks.md). All values of all rounds are in
[figures.json](figures.json).

| | |
|---|---|
| Last begun | ${at} |
| Barker | ${version}, commit ${commit} |
| Node.js | ${node} |
| Machine | ${processors} × ${processor}, ${memory_gb} GB, Linux ${kernel} |
| Load average before | ${load} |`;
}

function sectionOf(run: Reported, plot: (growth: Growth) => string): string {
  const { name, at, code, figures, output, seconds, peak_mb } = run;
  const took = `${seconds} s${peak_mb === undefined ? '' : `; its largest process took ${peak_mb.toLocaleString('en')} MB`}`;
  const failed = code === 0 ? [] : [`**It ended with ${code}**, and what follows is incomplete.`];
  // Not every benchmark records what it prints.
  const parts =
    figures.length === 0 ? [`\`\`\`text\n${output.trimEnd()}\n\`\`\``] : figures.map((each) => figureText(each, plot));
  return [
    `## ${name}`,
    ...failed,
    ...joined(parts),
    `Until ${at.slice(0, 16).replace('T', ' ')} UTC; took ${took}.`,
  ].join('\n\n');
}

/** Ratios that follow each other are one list. */
function joined(parts: readonly string[]): string[] {
  const found: string[] = [];
  for (const part of parts) {
    if (part.startsWith('- ') && found.at(-1)?.startsWith('- ')) found.push(`${found.pop()}\n${part}`);
    else found.push(part);
  }
  return found;
}

function figureText(figure: Figure, plot: (growth: Growth) => string): string {
  if (figure.kind === 'ratio') {
    return `- ${figure.name}: **${figure.value.toFixed(2)}**${figure.target === undefined ? '' : ` (target ${figure.target})`}`;
  }
  if (figure.kind === 'rates') {
    const rows = Object.entries(figure.values).map(
      ([name, values]) =>
        `| ${name} | ${show(median(values))} | ${show(Math.min(...values))} to ${show(Math.max(...values))} |`,
    );
    return `| ${figure.title} | Median${figure.unit === '/s' ? ', a second' : `,${figure.unit}`} | Range of ${Object.values(figure.values)[0]?.length ?? 0} |\n|---|---|---|\n${rows.join('\n')}`;
  }
  const { title, of, unit, lines } = figure;
  const sizes = [...new Set(Object.values(lines).flatMap((points) => points.map(([size]) => size)))].sort(
    (a, b) => a - b,
  );
  const rows = Object.entries(lines).map(([name, points]) => {
    const cells = sizes.map((size) => {
      const cost = points.find(([each]) => each === size)?.[1];
      return cost === undefined ? '' : show(cost);
    });
    return `| ${name} | ${cells.join(' | ')} | ${exponentOf(points).toFixed(2)} |`;
  });
  const heads = sizes.map((size) => size.toLocaleString('en')).join(' | ');
  return `### ${title}

![${title}](${plot(figure)})

| ${unit.trim()} at so many ${of} | ${heads} | Exponent |
|---|${sizes.map(() => '---').join('|')}|---|
${rows.join('\n')}`;
}

/** The power of the size that the cost grows with, between the first size and the last: 0 is flat, 1 is in proportion. */
export function exponentOf(points: Growth['lines'][string]): number {
  const [first, last] = [points[0]!, points.at(-1)!];
  return Math.log(last[1] / first[1]) / Math.log(last[0] / first[0]);
}
