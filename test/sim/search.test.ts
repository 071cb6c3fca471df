import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { defineKind } from '#lib/desired/definition.ts';
import type { Children } from '#lib/desired/observation.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConnectionError } from '#lib/errors.ts';
import { ControllerRevision } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { clusterActors, simulationOf } from '#lib/sim/cluster.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { type SearchOptions, search } from '#lib/sim/explore/search.ts';
import type { Invariant, Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { foreignPodsStay, neverTooMany } from './scenarios/invariants.ts';
import { setsAtRest } from './scenarios/outcome.ts';
import { createSet, deleteSet } from './scenarios/script.ts';

const isLong = process.env['SOAK'] !== undefined;

const unanswered = async <T>(signal: AbortSignal | undefined): Promise<T> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new ConnectionError('ended'))));

/**
 * A loop that gets no answer about quotas, which it does not need. The order of these answers would multiply the number of
 * schedules by forty.
 */
const startedWithoutQuotas: NonNullable<Scenario['start']> = ({ api, ...options }) => {
  const list: KubeApi['list'] = async (resource, given) =>
    resource.plural === 'resourcequotas' ? unanswered(given?.signal) : api.list(resource, given);
  const watch: KubeApi['watch'] = async (resource, given, onEvent) =>
    resource.plural === 'resourcequotas' ? unanswered(given.signal) : api.watch(resource, given, onEvent);
  return startManager({ ...options, api: { ...api, list, watch } });
};

const withoutHistory = (objects: Children): Children => ({
  of: (kind) => (kind.kind === ControllerRevision.kind ? [] : objects.of(kind)),
});

/** The kind of a set without history of its template: a watch of the history would multiply the number of schedules as well. */
const plainSet = {
  ...podSet,
  owns: podSet.owns.filter(({ kind }) => kind !== ControllerRevision.kind),
  desired: (seen: Parameters<typeof podSet.desired>[0]) =>
    podSet.desired({ ...seen, children: withoutHistory(seen.children), orphans: withoutHistory(seen.orphans) }),
};

/** Small enough for a complete search. */
const small = (more: Partial<Scenario> = {}): Scenario => ({
  name: 'podset-search',
  kinds: [plainSet],
  actors: () => [],
  start: startedWithoutQuotas,
  script: [createSet('web', 1)],
  invariants: () => [neverTooMany(), foreignPodsStay()],
  outcome: setsAtRest,
  ...more,
});

/** Large: includes the watch of quotas. */
const { start: _, ...large } = small({ kinds: [podSet] });

const noPods: Invariant = {
  name: 'no pods',
  check: (view) => (view.objects({ group: '', plural: 'pods' }).length > 0 ? 'a pod' : undefined),
};

const echo = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Echo',
  spec: s.object({ text: s.string({ maxLength: 10 }) }),
  status: s.object({ text: s.string({ maxLength: 10 }) }),
  owns: [],
  desired: ({ resource }) => ({ children: [], status: { text: resource.spec.text }, state: ready('Echoed', 'done') }),
});

const createEcho: ScriptStep = {
  label: 'user creates an echo',
  run: (user) => {
    const { apiVersion, kind } = refOf(echo);
    user.create(refOf(echo), { apiVersion, kind, metadata: { name: 'a', namespace: 'default' }, spec: { text: 'a' } });
  },
};

/** Small enough for a complete search with a crash in every order: the loop has one watch, and sends one write. */
const smallest: Scenario = {
  name: 'echo-search',
  kinds: [echo],
  actors: () => [],
  script: [createEcho],
  outcome: (view) => view.objects({ group: 'demo.example.com', plural: 'echoes' }).map(({ status }) => status ?? null),
};

const visit = async (scenario: Scenario, options: SearchOptions = {}) => search(simulationOf(scenario), options);

describe('search()', () => {
  it('search() visits every order of events of a set of one pod, and all ends are the undisturbed one', async () => {
    const report = await visit(small(), { budget: { time: 0 } });
    expect(report).toMatchObject({ isExhausted: true, untried: 0 });
    expect(report.failure).toBeUndefined();
    expect(report.ends).toBeGreaterThan(0);
    expect(report.states).toBeGreaterThan(100);
    expect(report.transitions).toBeGreaterThan(report.states);
  });

  it.runIf(isLong)('search() does so when quotas are watched', async () => {
    const report = await visit(large, { budget: { time: 0 } });
    expect(report).toMatchObject({ isExhausted: true });
    expect(report.failure).toBeUndefined();
  });

  it('search() does so with a kubelet, a garbage collector and a set that goes away', async () => {
    const script = [createSet('web', 1), deleteSet('web')];
    const report = await visit(
      { ...small({ script }), actors: clusterActors },
      { budget: { time: 0 }, maxStates: 150 },
    );
    expect(report.failure).toBeUndefined();
    expect(report.states).toBe(150);
    expect(report.isExhausted).toBe(false);
    expect(report.completeDepth).toBeLessThan(report.depth);
  });

  it('search() tries no step after its last states, counts them, and judges those at rest', async () => {
    const options = { budget: { time: 0 } };
    const whole = await visit(small(), options);
    const stopped = await visit(small(), { ...options, maxStates: whole.states - 1 });
    expect(stopped).toMatchObject({ states: whole.states - 1, isExhausted: false });
    expect(stopped.untried).toBeGreaterThan(0);
    expect(stopped.transitions).toBeLessThan(whole.transitions);
    expect(stopped.ends).toBeGreaterThanOrEqual(whole.ends - 1);
  });

  it.each(['request lost', 'answer lost', 'watch cut', 'crash'] as const)(
    'search() finds nothing wrong within 200 states with one "%s"',
    async (fault) => {
      const report = await visit(small(), { budget: { time: 1, [fault]: 1 }, maxStates: 200 });
      expect(report.failure).toBeUndefined();
    },
  );

  // The reduced search takes some of the steps of the whole search, so equal numbers of states mean equal states.
  const searches = [
    { scenario: small(), faults: {} },
    { scenario: smallest, faults: { crash: 1, time: 1 } },
    ...(isLong ? [{ 'answer lost': 1 }, { crash: 1 }].map((faults) => ({ scenario: small(), faults })) : []),
    // The budget of `check`.
    ...(isLong ? [{ scenario: smallest, faults: { crash: 1, time: 2 } }] : []),
  ];

  it.each(searches)(
    'search() reaches the same states of $scenario.name without some orders of independent steps, with $faults',
    async ({ scenario, faults }) => {
      const options = { budget: { time: 0, ...faults } };
      const whole = await visit(scenario, { ...options, triesEveryOrder: true });
      const reduced = await visit(scenario, options);
      expect(whole.isExhausted).toBe(true);
      expect(reduced).toMatchObject({ isExhausted: true, states: whole.states, ends: whole.ends, depth: whole.depth });
      expect(reduced.transitions).toBeLessThan(whole.transitions);
    },
  );

  it('search() gives the same report twice', async () => {
    const options = { budget: { time: 0 }, maxStates: 80 };
    expect(await visit(small(), options)).toEqual(await visit(small(), options));
  });

  it('search() reports a shortest way into trouble', async () => {
    const scenario = small({ invariants: () => [noPods] });
    await expect(runUndisturbed(simulationOf(scenario))).rejects.toThrow('no pods: a pod');
    const expected = await runUndisturbed(simulationOf(small()));
    const { failure, isExhausted, completeDepth } = await search(simulationOf(scenario), {
      budget: { time: 0 },
      expected,
    });
    expect(isExhausted).toBe(false);
    expect(completeDepth).toBe(6);
    expect(failure?.problem.sort).toBe('invariant no pods');
    // Start, two lists requested and answered, the set, and the create of the pod: fewer steps do not reach the fault.
    expect(failure?.schedule).toHaveLength(7);
  });

  it('search() stops at the depth that it is given', async () => {
    const report = await visit(small(), { maxDepth: 3, budget: { time: 0 } });
    expect(report).toMatchObject({ depth: 3, completeDepth: 3, isExhausted: false });
    expect(report.untried).toBeGreaterThan(0);
  });
});
