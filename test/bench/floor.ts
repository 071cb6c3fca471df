import { podSet } from '#constructs/pod-set/kind.ts';
import { classicPod } from '#constructs/pod-set/pods.ts';
import { passClock } from '#lib/desired/clock.ts';
import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Context } from '#lib/loop/context.ts';
import { keyOf } from '#lib/loop/key.ts';
import { observationOf } from '#lib/loop/observe.ts';
import { nextStatus, statusPatch } from '#lib/loop/status.ts';
import { stamp } from '#lib/plan/stamp.ts';
import { inFlight } from './bare-client.ts';
import type { Ground } from './ground.ts';
import { createPodSet, fleetNames, PODS_EACH, podSetPath } from './pod-sets.ts';
import { cpuSecondsOf } from './process-usage.ts';

const FIELD_MANAGER = 'cdk8s-reconcile%2Fpodsets.app.example.com';

/** Stand in for what is known only when a PodSet was created. */
const placeholder = { name: 'NAME', uid: 'UID', namespace: 'NAMESPACE' } as const;

/** The bodies that the operator sends for a PodSet, made once by its own functions, with placeholders. */
interface Templates {
  readonly pods: readonly string[];
  readonly status: string;
}

const makeTemplates = (): Templates => {
  const definition = podSet as unknown as AnyKindDefinition;
  const metadata = { ...placeholder, generation: 1, creationTimestamp: new Date().toISOString() };
  const complete = { ...metadata, labels: {}, annotations: {}, annotationManagers: {} };
  const resource = { metadata: complete, spec: { replicas: PODS_EACH } } as AnyResource;
  const names = Array.from({ length: PODS_EACH }, (_, index) => `${placeholder.name}-${index}2345`);
  const pods = names.map((name) => stamp({ definition, resource }, classicPod(name, { app: placeholder.name })));
  const children = pods.map((object) => ({ kind: definition.owns[0]!, object }));
  const clock = passClock(Date.now() * 1000);
  const seen = { key: keyOf('', ''), resource, children, refused: [], clock };
  const desired = definition.desired(observationOf({ definition } as Context, seen));
  const status = statusPatch(seen, nextStatus(seen, desired, []));
  return { pods: pods.map((pod) => JSON.stringify(pod)), status: JSON.stringify(status) };
};

const fill = (template: string, { name, uid, namespace }: Record<keyof typeof placeholder, string>): string =>
  template
    .replaceAll(placeholder.namespace, namespace)
    .replaceAll(placeholder.name, name)
    .replaceAll(placeholder.uid, uid);

const uidOf = (answer: string): string => (JSON.parse(answer) as { metadata: { uid: string } }).metadata.uid;

/** One time that the floor was run. */
export interface FloorRun {
  readonly seconds: number;
  /** CPU time of the client and of the whole control plane meanwhile. */
  readonly allCpuSeconds: number;
}

/**
 * The floor: the same five writes per PodSet that driver and operator do together, by a client that knows nothing and
 * looks at nothing. The PodSet is created by the driver's user, the rest by the operator's, as it is with an operator.
 *
 * The clock runs from the first request to the last answer.
 */
export const runFloor = async (ground: Ground, namespace: string, count: number): Promise<FloorRun> => {
  const { bare, operatorToken: token, sharedPids } = ground;
  const templates = makeTemplates();
  const podsPath = `/api/v1/namespaces/${namespace}/pods?fieldManager=${FIELD_MANAGER}&fieldValidation=Strict`;
  const before = cpuSecondsOf(sharedPids);
  const startedAt = performance.now();
  await inFlight(fleetNames(count), async (name) => {
    const uid = uidOf(await createPodSet(ground, namespace, { name, replicas: PODS_EACH }));
    const values = { name, uid, namespace };
    for (const pod of templates.pods) {
      await bare.send({ method: 'POST', path: podsPath, body: fill(pod, values), token });
    }
    const path = `${podSetPath(namespace, name)}/status?fieldManager=${FIELD_MANAGER}`;
    const contentType = 'application/merge-patch+json';
    await bare.send({ method: 'PATCH', path, body: fill(templates.status, values), token, contentType });
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, allCpuSeconds: cpuSecondsOf(sharedPids) - before };
};
