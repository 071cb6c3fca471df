import type { ResourceStory, RevisionCount } from '#lib/foresight/simulate/report/report.ts';
import { rounded } from './svg.ts';

/** A part of the time axis in which the numbers of pods are constant. */
export interface Stretch {
  /** The start, in pixels. */
  readonly from: number;
  readonly to: number;
  readonly wanted: number | undefined;
  readonly pods: readonly RevisionCount[];
}

/** Converts samples of a resource to stretches on the axis. Stretches narrower than 0.05 pixels are left out. */
export const stretchesOf = (
  { samples }: ResourceStory,
  xOf: (ms: number) => number,
  endMs: number,
): readonly Stretch[] =>
  samples.flatMap(({ atMs, wanted, pods }, index): Stretch[] => {
    const [from, to] = [xOf(atMs), xOf(samples[index + 1]?.atMs ?? endMs)];
    return to - from < 0.05 ? [] : [{ from, to, wanted, pods }];
  });

/** A layer of the stacked chart: its style, its title, and its number of pods in a stretch. */
export interface Layer {
  readonly look: string;
  readonly title: string;
  readonly of: (stretch: Stretch) => number;
}

const countOf =
  (revision: string, member: 'ready' | 'notReady') =>
  ({ pods }: Stretch): number =>
    pods.find((one) => one.revision === revision)?.[member] ?? 0;

/** The layers, from bottom to top: ready pods of each revision, then pods of each revision that are not ready. */
export const layersOf = ({ revisions }: ResourceStory, lookOf: (index: number) => string): readonly Layer[] => [
  ...revisions.map(({ id, label }, index) => ({
    look: lookOf(index),
    title: `${label}, ready`,
    of: countOf(id, 'ready'),
  })),
  ...revisions.map(({ id, label }, index) => ({
    look: `${lookOf(index)} soft`,
    title: `${label}, not ready`,
    of: countOf(id, 'notReady'),
  })),
];

/** Groups stretches, so that there is no gap between the stretches of a group. */
const runsOf = (stretches: readonly Stretch[]): readonly (readonly Stretch[])[] => {
  const runs: Stretch[][] = [];
  for (const stretch of stretches) {
    const run = runs.at(-1);
    if (run !== undefined && stretch.from - (run.at(-1)?.to ?? 0) < 0.1) run.push(stretch);
    else runs.push([stretch]);
  }
  return runs;
};

/** The outline of a stacked layer, as an SVG path. */
export const areaPath = (
  stretches: readonly Stretch[],
  {
    below,
    of,
    yOf,
  }: {
    readonly below: (stretch: Stretch) => number;
    readonly of: Layer['of'];
    readonly yOf: (count: number) => number;
  },
): string =>
  runsOf(stretches)
    .flatMap((run) => {
      // A stretch without pods of this layer interrupts the outline.
      const parts: Stretch[][] = [];
      let isOpen = false;
      for (const stretch of run) {
        if (of(stretch) === 0) isOpen = false;
        else if (isOpen) parts.at(-1)?.push(stretch);
        else {
          parts.push([stretch]);
          isOpen = true;
        }
      }
      return parts;
    })
    .map((part) => {
      const there = part.map((one) => `V${rounded(yOf(below(one) + of(one)))}H${rounded(one.to)}`);
      const back = part.toReversed().map((one) => `V${rounded(yOf(below(one)))}H${rounded(one.from)}`);
      const [first] = part;
      return first === undefined
        ? ''
        : `M${rounded(first.from)} ${rounded(yOf(below(first)))}${there.join('')}${back.join('')}Z`;
    })
    .join('');

/** The line of the desired number of pods, as an SVG path. */
export const wantedPath = (stretches: readonly Stretch[], yOf: (count: number) => number): string => {
  let path = '';
  let last: number | undefined;
  for (const { from, to, wanted } of stretches) {
    if (wanted !== undefined) {
      if (last === undefined) path += `M${rounded(from)} ${rounded(yOf(wanted))}`;
      else if (last !== wanted) path += `V${rounded(yOf(wanted))}`;
      path += `H${rounded(to)}`;
    }
    last = wanted;
  }
  return path;
};
