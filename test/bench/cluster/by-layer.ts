import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Contender } from '../floor/bare-process.ts';
import type { Ground } from '../ground/ground.ts';
import { runRunning } from '../ground/run-fleet.ts';
import { attribute, type ModuleAt, type Profiled } from '../layers/attribute.ts';
import { LAYERS } from '../layers/layers.ts';
import { modulesOf } from '../layers/modules.ts';
import { LAYER_ID, type PlaneMeasure, rounded } from '../report/measure.ts';

/** Finds modules in the files of a bundle, each of which is read once. */
const modulesIn = (): ModuleAt => {
  const files = new Map<string, ReturnType<typeof modulesOf>>();
  return (url, line) => {
    if (!url.startsWith('file:')) return undefined;
    const file = fileURLToPath(url);
    if (!files.has(file)) files.set(file, modulesOf(readFileSync(file, 'utf8')));
    return files.get(file)?.(line);
  };
};

/** Operators that are profiled from the end of their start until they are stopped. */
const profiledOperator = (ground: Ground, file: string): Contender => {
  const env = { ...ground.preload('profile'), BENCH_PROFILE_FILE: file };
  const start = async () => {
    const operator = await ground.startOperator(env);
    process.kill(operator.pid, 'SIGUSR2');
    const stop = async () => {
      if (!existsSync(file)) process.kill(operator.pid, 'SIGUSR2');
      await waitFor('the profile of the operator', async () => existsSync(file));
      return operator.stop();
    };
    return { ...operator, stop };
  };
  return { start, spawn: () => ground.spawnOperator(env) };
};

/**
 * Measures the CPU time of the operator in P1 by layer, with a profiler, as parts of the CPU time of the bare operator in the
 * same run. The rows are parts of P6b, so they show which layer raised P6b.
 */
export const measureByLayer: PlaneMeasure = async ({ ground, options: { podSets: count }, progress }) => {
  progress(`LAYERS: ${count} PodSets, the bare operator`);
  const bare = await runRunning(ground, { contender: ground.bareOperator, count });
  progress(`LAYERS: ${count} PodSets, the operator with a profiler`);
  const file = join(ground.plane.access.folder, 'profile.json');
  await runRunning(ground, { contender: profiledOperator(ground, file), count });
  const profiled = JSON.parse(await readFile(file, 'utf8')) as Profiled;
  const { byLayer, elsewhere } = attribute(profiled, modulesIn());
  const bareMs = bare.cpuSeconds * 1000;
  const attributedMs = profiled.processMs - elsewhere;
  return LAYERS.map((layer) => {
    const ms = byLayer[layer];
    const percent = (100 * ms) / attributedMs;
    return {
      id: LAYER_ID,
      measure: `${layer}: part of P6b with ${count} PodSets`,
      goal: '',
      verdict: 'note',
      result: `${rounded(ms / bareMs)} (${rounded(ms)} ms, ${rounded(percent)} %)`,
      figures: { layer, ms, percent, bareMs, elsewhere, processMs: profiled.processMs },
      headline: ms / bareMs,
    };
  });
};
