import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { podSet } from '#constructs/pod-set/kind.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, ControllerRevision, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { measuredKinds, type StoredLists } from '#test/unit/support/heap-per-resource.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { TENANT } from '#test/unit/support/tenant-extension.ts';

const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

const runningStatus = (second: number): object => {
  const lastTransitionTime = `2026-11-21T09:31:${String(second % 60).padStart(2, '0')}Z`;
  const conditions = CONDITIONS.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime }));
  return { phase: 'Running', podIP: '10.0.0.1', startTime: lastTransitionTime, conditions };
};

/** Resources of one kind. Each namespace has an extension with two ConfigMaps. */
export type HeapFleet =
  | { readonly kind: 'PodSet'; readonly count: number; readonly replicas: number }
  | { readonly kind: 'Namespace'; readonly count: number };

const SET = refOf(podSet);

const put = (api: FakeApi, fleet: HeapFleet, name: string): void => {
  if (fleet.kind === 'Namespace') {
    api.put(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { [TENANT]: '2' } } });
    return;
  }
  const { apiVersion, kind } = SET;
  const { replicas } = fleet;
  api.put(SET, { apiVersion, kind, metadata: { name, namespace: 'default' }, spec: { replicas } });
};

/** The kinds whose objects the operator watches for a fleet. */
const watched = { PodSet: [SET, Pod, ControllerRevision], Namespace: [Namespace, ConfigMap] } as const;

const jsonOf = (objects: readonly ApiObject[]): readonly string[] => objects.map((object) => JSON.stringify(object));

/** The storage of a cluster with a fleet, whose pods run. */
const stored = async (fleet: HeapFleet): Promise<StoredLists> => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, fleet.kind === 'PodSet' ? [podSet] : []);
  const kinds = [measuredKinds[fleet.kind]];
  const manager = startManager({ kinds, api: api.client, timers, random: () => 0.5, log: createLogger('silent') });
  await manager.started;
  for (let number = 0; number < fleet.count; number += 1) put(api, fleet, `parent-${number}`);
  await timers.advance(20_000);
  for (const [index, { metadata }] of api.all(Pod).entries()) api.editStatus(Pod, metadata.name, runningStatus(index));
  await timers.advance(60_000);
  await manager.stop();
  // The children of a namespace are in the namespace.
  const objects = api.stored().map(({ object }) => object);
  const lists = watched[fleet.kind].map(
    ({ kind, plural }: KindRef) => [plural, jsonOf(objects.filter((object) => object.kind === kind))] as const,
  );
  return { kind: fleet.kind, lists: Object.fromEntries(lists), version: api.resourceVersion };
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
