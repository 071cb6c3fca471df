import { podSet } from '#constructs/pod-set/kind.ts';
import { classicRevision } from '#constructs/pod-set/revision/revisions.ts';
import { classicPod } from '#constructs/pod-set/template.ts';
import { passClock } from '#lib/desired/clock.ts';
import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Observation } from '#lib/desired/observation.ts';
import { createObservation, noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';
import { refOf } from '#lib/kind/names.ts';
import { projectionOf, projectResource } from '#lib/loop/cache/projection/projection.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { nextStatus, statusDiffers } from '#lib/loop/pass/report/status.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { passRelated } from '#lib/loop/related/pass-related.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { stamp } from '#lib/plan/stamp.ts';
import { REVISION_LABEL } from '#lib/workload/pod-template.ts';
import { atLeast, type Row, rounded } from '../report/measure.ts';

const GOAL = 50_000;
const PODS = 10;
const WARM_UP_SECONDS = 1;
const WINDOW_SECONDS = 1;
const WINDOWS = 5;

const definition = podSet as unknown as AnyKindDefinition;
const creationTimestamp = '2026-01-01T00:00:00Z';
const metadata = { name: 'web', namespace: 'default', uid: 'b8f3c1ae-0000-4000-8000-000000000000', generation: 1 };

/** A PodSet and its pods as the caches hold them: read from JSON, reduced, frozen. */
const seenAtRest = (): Snapshot => {
  const { apiVersion, kind } = refOf(definition);
  const bare = { apiVersion, kind, metadata: { ...metadata, resourceVersion: '1', creationTimestamp } };
  const resource = projectResource({
    ...bare,
    spec: applyDefaults(podSet.spec, { replicas: PODS }),
  }) as unknown as AnyResource;
  const podKind = definition.owns[0]!;
  const project = projectionOf(podKind.fields);
  const children = Array.from({ length: PODS }, (_, index) => {
    const labels = { app: 'web', [REVISION_LABEL]: classicRevision.hash };
    const { object: pod } = stamp({ definition, resource }, classicPod(`web-${index}`, labels));
    const uid = `a0000000-0000-4000-8000-00000000000${index}`;
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: creationTimestamp }];
    const status = { phase: 'Running', conditions, containerStatuses: [{ name: 'busybox', restartCount: 0 }] };
    const live = { ...pod, metadata: { ...pod.metadata, uid, resourceVersion: '2', creationTimestamp }, status };
    return { kind: podKind, object: project(JSON.parse(JSON.stringify(live)) as Parameters<typeof project>[0]) };
  });
  const clock = passClock(Date.now() * 1000);
  const related = passRelated({ definition, related: new Map() }, resource);
  const none = {
    orphans: [],
    restored: [],
    refused: [],
    finalizers: [],
    outcomes: noOutcomes,
    pins: new Map(),
    immutables: new Map(),
  };
  return {
    key: keyOf('default', 'web'),
    uid: metadata.uid,
    resource,
    children,
    related,
    ...none,
    clock,
    resourceVersion: '1',
  };
};

const observationOf = (seen: Snapshot): Observation<AnyResource> => {
  const objects = seen.children.map(({ object }) => object);
  const { related, clock } = seen;
  const parts = { owns: definition.owns, children: objects, related: related.related, clock: clock.clock };
  return createObservation({ ...seen, ...parts, orphans: [] });
};

/** Adds the status that the loop would have written, so that the loop has nothing left to do. */
const settled = (seen: Snapshot): Snapshot => {
  const desired = definition.desired(observationOf(seen));
  const status = nextStatus(seen, desired, { refused: [], fieldManager: 'bench' });
  const object = { ...seen.resource, status } as unknown as Parameters<typeof projectResource>[0];
  return { ...seen, resource: projectResource(object) as unknown as AnyResource };
};

/** CPU time of this thread in seconds: unlike the clock, it does not advance while others use the core. */
const cpuSeconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000_000;
};

/** Calls per second of CPU time. The time is read once in a hundred calls. */
const callsPerSecond = (call: () => void, windowSeconds: number): number => {
  const startedAt = cpuSeconds();
  let calls = 0;
  let elapsed = 0;
  while (elapsed < windowSeconds) {
    for (let index = 0; index < 100; index += 1) call();
    calls += 100;
    elapsed = cpuSeconds() - startedAt;
  }
  return calls / elapsed;
};

/** The best window: other processes, which share the caches of the machine, can only slow it down. */
const best = (call: () => void): readonly [best: number, all: readonly number[]] => {
  callsPerSecond(call, WARM_UP_SECONDS);
  const all = Array.from({ length: WINDOWS }, () => callsPerSecond(call, WINDOW_SECONDS));
  return [Math.max(...all), all];
};

/** Measures how many resources at rest the function and the plan alone handle per second. */
export const measureP8 = (): readonly Row[] => {
  const seen = settled(seenAtRest());
  const { resource, children } = seen;
  let steps = 0;
  const desireAndPlan = () => {
    const desired = definition.desired(observationOf(seen));
    steps += planChildren({ definition, resource, children, orphans: [], desired }).steps.length;
    return desired;
  };
  const [perSecond, windows] = best(desireAndPlan);
  const [withStatus] = best(() => {
    if (statusDiffers(seen, nextStatus(seen, desireAndPlan(), { refused: [], fieldManager: 'bench' })))
      throw new Error('The PodSet is not at rest');
  });
  return [
    {
      id: 'P8',
      measure: `unchanged PodSet of ${PODS} through function and plan, per second of CPU`,
      goal: `≥ ${rounded(GOAL)}`,
      result: `${rounded(perSecond)} (with the comparison of status ${rounded(withStatus)})`,
      ...atLeast(perSecond, GOAL),
      figures: { perSecond, windows, withStatus, steps },
      headline: perSecond,
    },
  ];
};
