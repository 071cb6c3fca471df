import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { atMost, type PlaneMeasure, percentile, rounded } from '../report/measure.ts';

const RUNS = 7;

/** The goal of the layer that a build adds to an image. `test/cluster/image.test.ts` has the goal of the whole image. */
const LAYER_GOAL_MIB = 3;

/** The compressed size of the files in a folder, as a layer of an image has them. */
const compressedMiB = async (folder: string): Promise<number> => {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  return files.reduce((sum, contents) => sum + gzipSync(contents).length, 0) / 2 ** 20;
};

/** Measures the start of the bundled operator until its caches are filled and it leads, and the size of its files. */
export const measureStart: PlaneMeasure = async ({ ground, progress }) => {
  progress(`START: ${RUNS} starts`);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await using operator = await ground.startOperator();
    times.push(performance.now() - startedAt);
    await operator.stop();
  }
  const median = percentile(times, 0.5);
  const layerMiB = await compressedMiB(ground.bundle);
  return [
    {
      id: 'START',
      measure: 'start of the bundled operator to caches filled and leading, ms',
      goal: '',
      verdict: 'note',
      result: `${rounded(median)} ms`,
      figures: { times },
      headline: median,
    },
    {
      id: 'I1',
      measure: 'files of the operator, compressed, MiB',
      goal: `≤ ${LAYER_GOAL_MIB} MiB`,
      ...atMost(layerMiB, LAYER_GOAL_MIB),
      result: `${rounded(layerMiB)} MiB`,
      figures: { layerMiB },
      headline: layerMiB,
    },
  ];
};
