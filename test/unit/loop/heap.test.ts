import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
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

/** The storage of a cluster with some PodSets, whose pods run. */
const stored = async (count: number): Promise<StoredLists> => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [podSet]);
  const log = createLogger('silent');
  const manager = startManager({ kinds: [podSet], api: api.client, timers, random: () => 0.5, log });
  await manager.started;
  for (let number = 0; number < count; number += 1)
    api.put(SET, {
      apiVersion: SET.apiVersion,
      kind: SET.kind,
      metadata: { name: `set-${number}`, namespace: 'default' },
      spec: { replicas: 3 },
    });
  await timers.advance(20_000);
  for (const [index, { metadata }] of api.all(Pod).entries()) api.editStatus(Pod, metadata.name, runningStatus(index));
  await timers.advance(60_000);
  await manager.stop();
  const kinds: readonly KindRef[] = [SET, Pod, ControllerRevision];
  const texts = kinds.map((kind) => [kind.plural, api.all(kind).map((object) => JSON.stringify(object))] as const);
  return { lists: Object.fromEntries(texts), version: api.resourceVersion };
};

const script = fileURLToPath(new URL('../support/heap-per-resource.ts', import.meta.url));
const [FEW, MANY] = [100, 500];
const KIB = 1024;

/** In a process of its own, which holds nothing else. */
const heapWith = async (podSets: number): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'heap-'));
  try {
    const file = join(folder, 'lists.json');
    await writeFile(file, JSON.stringify(await stored(podSets)));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, file]);
    return Number(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
};

it('startManager() keeps 6 KiB at most of a PodSet and its three pods, at rest', async () => {
  const few = await heapWith(FEW);
  const many = await heapWith(MANY);
  expect((many - few) / (MANY - FEW) / KIB).toBeLessThan(6);
});
