import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { podSet } from '#constructs/pod-set/kind.ts';
import { ControllerRevision, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import type { StoredLists } from '#test/unit/support/heap-per-resource.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const SET = refOf(podSet);
const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

const runningStatus = (second: number): object => {
  const lastTransitionTime = `2026-11-21T09:31:${String(second % 60).padStart(2, '0')}Z`;
  const conditions = CONDITIONS.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime }));
  return { phase: 'Running', podIP: '10.0.0.1', startTime: lastTransitionTime, conditions };
};

/** A fleet of PodSets. */
export interface HeapFleet {
  readonly podSets: number;
  /** Number of pods of each PodSet. */
  readonly replicas: number;
}

/** The storage of a cluster with some PodSets, whose pods run. */
const stored = async ({ podSets, replicas }: HeapFleet): Promise<StoredLists> => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [podSet]);
  const log = createLogger('silent');
  const manager = startManager({ kinds: [podSet], api: api.client, timers, random: () => 0.5, log });
  await manager.started;
  for (let number = 0; number < podSets; number += 1)
    api.put(SET, {
      apiVersion: SET.apiVersion,
      kind: SET.kind,
      metadata: { name: `set-${number}`, namespace: 'default' },
      spec: { replicas },
    });
  await timers.advance(20_000);
  for (const [index, { metadata }] of api.all(Pod).entries()) api.editStatus(Pod, metadata.name, runningStatus(index));
  await timers.advance(60_000);
  await manager.stop();
  const kinds: readonly KindRef[] = [SET, Pod, ControllerRevision];
  const texts = kinds.map((kind) => [kind.plural, api.all(kind).map((object) => JSON.stringify(object))] as const);
  return { lists: Object.fromEntries(texts), version: api.resourceVersion };
};

const script = fileURLToPath(import.meta.resolve('#test/unit/support/heap-per-resource.ts'));
/** The live heap, in bytes, of a loop at rest over a fleet, in a process of its own, which holds nothing else. */
export const heapWith = async (fleet: HeapFleet): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'heap-'));
  try {
    const file = join(folder, 'lists.json');
    await writeFile(file, JSON.stringify(await stored(fleet)));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, file]);
    return Number(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
};
