import { defineKind } from '#lib/desired/definition.ts';
import { apply, keep } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { ClusterView, Invariant, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { FAULT_CLASSES } from '#lib/sim/world/step/step.ts';
import { type Case, casesOf } from './case.ts';

/** A kind with one child, whose name contains the time of its creation: a repeated create makes another object. */
const stamp = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Stamp',
  name: { maxLength: 100 },
  spec: s.object({ text: s.string({ maxLength: 10 }) }),
  status: s.object({}),
  owns: [ConfigMap],
  desired({ resource, children, clock }) {
    const [first, ...more] = children.of(ConfigMap);
    if (first !== undefined)
      return { children: [first, ...more].map(keep), status: {}, state: ready('Stamped', 'it has its child') };
    const name = `${resource.metadata.name}-${Date.parse(clock.now())}`;
    const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: resource.spec.text } };
    return { children: [apply(child)], status: {}, state: progressing('Stamping', 'its child is missing') };
  },
});

const create = (name: string): ScriptStep => ({
  label: `user creates stamp ${name}`,
  run: (user) => {
    const stamps = refOf(stamp);
    const { apiVersion, kind } = stamps;
    user.create(stamps, { apiVersion, kind, metadata: { name, namespace: 'default' }, spec: { text: 'a' } });
  },
});

/** The children, by the names of their resources. */
const childrenIn = (view: ClusterView): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { metadata } of view.objects({ group: '', plural: 'configmaps' }))
    for (const { name } of metadata.ownerReferences ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const atMostOne = (): Invariant => ({
  name: 'at most one child',
  check: (view) => {
    const found = [...childrenIn(view)].find(([, count]) => count > 1);
    return found && `${found[1]} children of ${found[0]}`;
  },
});

/** The answer to a create is lost, and the watch does not show the child for a long time. */
const unseenCreates: ChaosOptions = {
  steps: 300,
  faults: 20,
  weights: {
    ...Object.fromEntries(FAULT_CLASSES.map((name) => [name, 0])),
    'answer lost': 3,
    'watch silent': 1,
  },
};

const caseOf = casesOf({
  prefix: 'stamp',
  kinds: [stamp],
  invariants: () => [atMostOne()],
  outcome: (view) => [...childrenIn(view)].toSorted(([a], [b]) => (a < b ? -1 : 1)),
});

/** Scenarios of stamps. */
export const stampCases: readonly Case[] = [
  caseOf('create', ['a', 'b', 'c', 'd', 'e', 'f'].map(create), { chaos: unseenCreates }),
];
