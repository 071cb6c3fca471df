import { podSet } from '#constructs/pod-set/kind.ts';
import { classicRevision } from '#constructs/pod-set/revision/revisions.ts';
import { classicPod } from '#constructs/pod-set/template.ts';
import { instantOf } from '#lib/desired/clock.ts';
import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { conditionsOf } from '#lib/desired/result/conditions.ts';
import { stamp } from '#lib/plan/stamp.ts';
import { REVISION_LABEL } from '#lib/workload/pod-template.ts';
import type { Ground } from '../ground/ground.ts';
import { createPodSet, fleetNames, PODS_EACH, podSetPath } from '../ground/pod-sets.ts';
import { cpuSecondsOf } from '../ground/process-usage.ts';
import { inFlight } from './bare-client.ts';

const FIELD_MANAGER = 'cdk8s-reconcile%2Fpodsets.app.example.com';

/** Placeholders for values that are known only after a PodSet was created. */
const placeholder = { name: '~name~', uid: '~uid~', namespace: '~namespace~', resourceVersion: '~version~' } as const;

/** The bodies that the operator sends for a PodSet, created once by its own functions, with placeholders. */
interface Templates {
  readonly pods: readonly string[];
  readonly status: string;
}

const makeTemplates = (): Templates => {
  const definition = podSet as unknown as AnyKindDefinition;
  const { name, uid, namespace, resourceVersion } = placeholder;
  const metadata = { name, uid, namespace, labels: {}, annotations: {}, annotationManagers: {} };
  const creationTimestamp = instantOf(Date.now() * 1000);
  const resource: AnyResource = { metadata: { ...metadata, generation: 1, creationTimestamp }, spec: {} };
  const names = Array.from({ length: PODS_EACH }, (_, index) => `${name}-${index}2345`);
  const labels = { app: name, [REVISION_LABEL]: classicRevision.hash };
  const pods = names.map((podName) => classicPod(podName, labels));
  const spec = { replicas: PODS_EACH };
  const seen = observationOf(podSet, { metadata: resource.metadata, spec, children: pods, now: creationTimestamp });
  const { status: own, state, conditions: ofKind = [] } = podSet.desired(seen);
  const conditions = conditionsOf({
    state,
    conditions: ofKind,
    previous: [],
    generation: 1,
    now: creationTimestamp,
  });
  const status = { ...own, observedGeneration: 1, conditions };
  return {
    pods: pods.map((pod) => JSON.stringify(stamp({ definition, resource }, pod).object)),
    status: JSON.stringify({ metadata: { resourceVersion }, status }),
  };
};

const fill = (template: string, values: Readonly<Record<keyof typeof placeholder, string>>): string =>
  Object.entries(placeholder).reduce(
    (text, [key, mark]) => text.replaceAll(mark, values[key as keyof typeof placeholder]),
    template,
  );

interface CreatedPodSet {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
}

/** One run of the floor. */
export interface FloorRun {
  readonly seconds: number;
  /** CPU time of the client and of the whole control plane meanwhile. */
  readonly allCpuSeconds: number;
}

/**
 * Runs the floor: the same five writes per PodSet as driver and operator send together, by a client that reads nothing.
 * The driver's user creates the PodSet, and the operator's user the rest, as with an operator.
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
    const answer = await createPodSet(ground, namespace, { name, replicas: PODS_EACH });
    const { uid, resourceVersion } = (JSON.parse(answer) as CreatedPodSet).metadata;
    const values = { name, uid, namespace, resourceVersion };
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
