import { podSet } from '#constructs/pod-set/kind.ts';
import type { Replica } from '#constructs/pod-set/look/census.ts';
import { censusOf } from '#constructs/pod-set/look/census.ts';
import { classicRevision } from '#constructs/pod-set/revision/revisions.ts';
import { passClock } from '#lib/desired/clock.ts';
import { freeSlots } from '#lib/desired/marks/names.ts';
import { observationOf, type Situation } from '#lib/desired/observe/observation-of.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { REVISION_LABEL } from '#lib/workload/pod-template.ts';
import { observedPod, type PodTraits } from '#test/unit/support/pods.ts';

/** The default time of a pass. */
export const NOW = '2026-11-21T09:30:00Z';

/** The set of the tests. */
const set = { name: 'web', uid: '6f1c2a7e-0000-4000-8000-000000000001' };

/** A clock that does not advance. */
export const clockAt = (now = NOW) => passClock(Date.parse(now) * 1000).clock;

const slots = freeSlots(40, { ...set, taken: new Set() });

/** The names of a set's pods, in the order in which they are assigned. */
export const slot = (index: number): string => slots[index] ?? '';

/** The hash of the classic template. */
export const CLASSIC = classicRevision.hash;

/** The labels of a pod of the set. */
export const labelsOf = (revision = CLASSIC): Record<string, string> => ({
  app: set.name,
  'app.example.com/podset': set.name,
  [REVISION_LABEL]: revision,
});

/** A pod of the set, with the classic template by default. */
export const setPod = ({ revision, ...traits }: PodTraits & { readonly revision?: string }): ObservedPod =>
  observedPod({ ...traits, labels: traits.labels ?? labelsOf(revision) });

type PodSetSituation = Situation<typeof podSet.spec, typeof podSet.status>;

/** The result of the kind for a situation. */
export const desiredOf = (situation: PodSetSituation) =>
  podSet.desired(
    observationOf(podSet, { now: NOW, ...situation, metadata: { ...set, generation: 1, ...situation.metadata } }),
  );

/** Names of the objects in intents of a verb, sorted. */
export const namesBy = (
  { children }: Pick<Desired<unknown>, 'children'>,
  verb: string,
  kind = 'Pod',
): readonly string[] =>
  children
    .filter((intent) => intent.verb === verb && intent.object.kind === kind)
    .map(({ object }) => object.metadata?.name ?? '')
    .toSorted();

/** Reasons of removals, by name of the pod. */
export const reasonsOf = ({ children }: Pick<Desired<unknown>, 'children'>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    children.flatMap((intent) =>
      intent.verb === 'remove' ? [[intent.object.metadata?.name ?? '', intent.because]] : [],
    ),
  );

/** The objects to create. */
export const madeBy = ({ children }: Pick<Desired<unknown>, 'children'>, kind = 'Pod'): readonly KubeObject[] =>
  children.filter(({ verb, object }) => verb === 'apply' && object.kind === kind).map(({ object }) => object);

/** Pods in the form of a census. */
export const replicasOf = (pods: readonly ObservedPod[], revision?: string): readonly Replica[] =>
  censusOf(pods, { revision, minReadySeconds: 0, clock: clockAt() }).active;

/** The condition of a type. */
export const conditionIn = ({ conditions = [] }: Pick<Desired<unknown>, 'conditions'>, type: string) =>
  conditions.find((condition) => condition.type === type);
