import { hash } from 'node:crypto';

/** Whether this run tries every case; the others try samples of them. */
export const isFull = process.env.TEST_TIER === 'full';

/** Which samples this run takes. The runner chooses a seed and prints it; without the runner, samples are the same each time. */
const sampleSeed = Number(process.env.TEST_SEED ?? 20_260_302);

/** The share of a cross product that a run tries in addition to one case of each shape. */
const SHARE = 0.02;

/** A number from 0 to 1 that depends on the seed and a name, and on nothing else. */
function drawn(name: string): number {
  return Number.parseInt(hash('sha1', `${sampleSeed} ${name}`).slice(0, 12), 16) / 2 ** 48;
}

/**
 * The cases of a cross product that this run tries, in their order: one of each shape and a share of the others, chosen by
 * the seed; all of them in a full run.
 * @param shapeOf how a case differs from others for the code that it tests, such as the kind of a field and a method.
 * @param nameOf a name that no other case has.
 * @param share how many of the others, from 0 to 1.
 */
export function sampled<Case>(
  cases: readonly Case[],
  shapeOf: (each: Case) => string,
  nameOf: (each: Case) => string,
  share = SHARE,
): readonly Case[] {
  if (isFull) return cases;
  const draws = new Map(cases.map((each) => [each, drawn(nameOf(each))]));
  const byShape = Map.groupBy(cases, shapeOf);
  const lowest = (some: readonly Case[]): Case =>
    some.reduce((least, each) => (draws.get(each)! < draws.get(least)! ? each : least));
  const chosen = new Set([...byShape.values()].map(lowest));
  return cases.filter((each) => chosen.has(each) || draws.get(each)! < share);
}

/**
 * Chooses while cases are made: the first of each shape and a share of the others; all of them in a full run.
 * @returns whether a case of this shape is tried, whose name no other has.
 */
export function sampler(): (shape: string, name: string) => boolean {
  const shapes = new Set<string>();
  return (shape, name) => {
    const isFirst = !shapes.has(shape);
    shapes.add(shape);
    return isFull || isFirst || drawn(name) < SHARE;
  };
}

/** A number of rounds: all of them in a full run, a sixth otherwise. */
export function rounds(all: number): number {
  return isFull ? all : Math.ceil(all / 6);
}
