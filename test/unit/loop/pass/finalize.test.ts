import { describe, expect, it, vi } from 'vitest';
import type { RefusalReason } from '#lib/desired/observation.ts';
import { apply, keep, release } from '#lib/desired/result/intent.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import { allowedSteps, isFinalized, unfinishableState } from '#lib/loop/pass/finalize.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import type { Child, Plan, Step } from '#lib/plan/step.ts';
import { refusal } from '#test/unit/loop/pass/execute/refusals.ts';
import {
  clear,
  clearing,
  discard,
  edit,
  exists,
  FINALIZER,
  finalizersOf,
  forbidden,
  mark,
  shelfWith,
  standing,
  verbs,
} from '#test/unit/support/finalized-shelf.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { childOf, parent } from '#test/unit/support/plan-inputs.ts';
import { bookPod } from '#test/unit/support/shelf-kind.ts';

describe('ensureFinalizer()', () => {
  it('ensureFinalizer() adds the finalizer with one patch before any child is created', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: ['a'] });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(finalizersOf(bench)).toEqual([FINALIZER]);
    expect(verbs(bench)).toEqual(['patch']);
    await bench.converge('shelf');
    expect(verbs(bench)).toEqual(['patch', 'create', 'patchStatus']);
  });

  it('ensureFinalizer() leaves the finalizers of others alone when there are some', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: [] });
    mark(bench, ['example.com/other']);
    await bench.converge('shelf');
    expect(finalizersOf(bench)).toEqual(['example.com/other', FINALIZER]);
  });

  it('ensureFinalizer() keeps a foreign finalizer that the watch has not delivered yet', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: [] });
    edit(bench, ['example.com/other']);
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(finalizersOf(bench)).toEqual(['example.com/other']);
    await bench.pass('shelf');
    expect(finalizersOf(bench)).toEqual(['example.com/other', FINALIZER]);
  });

  it('ensureFinalizer() adds nothing when the resource is gone meanwhile', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: ['a'] });
    bench.api.vanish(bench.kind, 'shelf');
    await bench.pass('shelf');
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.podNames()).toEqual([]);
  });

  it('ensureFinalizer() creates no child and says why when the patch is refused', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? forbidden : undefined);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.podNames()).toEqual([]);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'Forbidden',
      message: `cannot add the finalizer ${FINALIZER}: Forbidden; trying again`,
    });
  });

  it('ensureFinalizer() backs off and says why when admission takes the finalizer off again', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: ['a'] });
    vi.spyOn(bench.api.client, 'patch').mockImplementation(async (kind, { name }) => bench.api.one(kind, name));
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.podNames()).toEqual([]);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'AdmissionDenied' });
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
  });

  it('ensureFinalizer() asks for nothing when the kind has no finalize', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    expect(finalizersOf(bench)).toBeUndefined();
    bench.api.requests.length = 0;
    bench.api.vanish(bench.kind, 'shelf');
    bench.catchUp();
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });
});

describe('allowedSteps()', () => {
  it('allowedSteps() creates nothing while the garbage collector deletes the children, and goes on afterwards', async () => {
    const bench = await standing(
      () => ({
        children: [apply(bookPod('sweeper'))],
        status: { count: 0 },
        state: clearing,
      }),
      [],
    );
    mark(bench, [FINALIZER, 'foregroundDeletion']);
    discard(bench);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual([]);
    expect(finalizersOf(bench)).toEqual([FINALIZER, 'foregroundDeletion']);
    mark(bench, [FINALIZER]);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(['sweeper']);
  });
});

describe('awaitsFinalize()', () => {
  it('awaitsFinalize() is false while the garbage collector lets go of the children', async () => {
    const bench = await standing();
    mark(bench, [FINALIZER, 'orphan']);
    discard(bench);
    expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
    expect(bench.podNames()).toEqual(['a', 'b']);
  });

  it('awaitsFinalize() is true afterwards, and a released child is not deleted before the event of the watch', async () => {
    const bench = await standing();
    mark(bench, [FINALIZER, 'orphan']);
    discard(bench);
    mark(bench, [FINALIZER]);
    for (const name of ['a', 'b'])
      bench.api.edit(Pod, name, (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } }));
    await bench.converge('shelf');
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(exists(bench)).toBe(false);
  });
});

describe('dropFinalizer()', () => {
  it('dropFinalizer() reads the list again after a concurrent change', async () => {
    const bench = await standing(clear, []);
    discard(bench);
    edit(bench, []);
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
  });

  it('dropFinalizer() says why when it is refused', async () => {
    const bench = await standing(clear, []);
    discard(bench);
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? forbidden : undefined);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'Forbidden' });
    bench.api.refuse = () => undefined;
    await bench.converge('shelf');
    expect(exists(bench)).toBe(false);
  });

  it('dropFinalizer() frees a resource whose kind has no finalize any more', async () => {
    const bench = await standing();
    const later = new LoopBench();
    expect(later.context.definition.finalize).toBeUndefined();
    later.declare('shelf', { books: ['a'] });
    await later.converge('shelf');
    mark(later, [FINALIZER]);
    discard(later);
    later.api.requests.length = 0;
    expect(await later.converge('shelf')).toEqual({ next: 'rest' });
    expect(verbs(later)).toEqual(['patch']);
    expect(exists(later)).toBe(false);
    expect(bench.context.resources.get(keyOf('default', 'shelf'))).toBeDefined();
  });

  it('dropFinalizer() lets go of nothing when children were released but others remain', async () => {
    const bench = await standing(({ children }) => ({
      children: children.of(Pod).map((pod) => (pod.metadata?.name === 'a' ? release(pod) : keep(pod))),
      status: { count: 1 },
      state: clearing,
    }));
    discard(bench);
    await bench.converge('shelf').catch(() => undefined);
    expect(finalizersOf(bench)).toEqual([FINALIZER]);
  });
});

/** A resource that is being deleted. */
const ending = (finalizers: readonly string[], children: readonly Child[] = []): Snapshot => {
  const { metadata, ...rest } = parent();
  const resource = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-11-21T09:00:00Z' } };
  return { resource, finalizers, children } as unknown as Snapshot;
};

describe('allowedSteps()', () => {
  const names = ['create', 'apply', 'adopt', 'release', 'replace', 'remove', 'prune', 'skip'] as const;
  const plan: Plan = { steps: names.map((step) => ({ step }) as Step), pins: new Map() };
  const allowed = (seen: Snapshot): string[] => allowedSteps(seen, plan).map(({ step }) => step);

  it('allowedSteps() creates, applies and adopts nothing during a foreground deletion', () => {
    expect(allowed(ending(['foregroundDeletion']))).toEqual(['release', 'replace', 'remove', 'prune', 'skip']);
    expect(allowed(ending([FINALIZER]))).toEqual(names);
    expect(allowed({ ...ending(['foregroundDeletion']), resource: parent() })).toEqual(names);
  });
});

describe('isFinalized()', () => {
  const away = elsewhere(ConfigMap, { namespaces: ['team'] });
  const gone = { deletionTimestamp: '2026-11-21T09:00:00Z' };
  const decision = { desired: {}, plan: { steps: [], pins: new Map() } } as unknown as Decision;
  const isDone = (children: readonly Child[]): boolean =>
    isFinalized({ finalize: clear }, ending([FINALIZER], children), decision);

  it.each([
    { children: [], is: true, reason: 'no child is left' },
    { children: [childOf(away, 'a', gone)], is: true, reason: 'a child elsewhere is being deleted' },
    { children: [childOf(away, 'a')], is: false, reason: 'a child elsewhere is not being deleted' },
    { children: [childOf(ConfigMap, 'a', gone)], is: false, reason: 'a child in its namespace is being deleted' },
    { children: [{ kind: away, object: {} }], is: false, reason: 'a child has no metadata' },
  ])('isFinalized() is $is when $reason', ({ children, is }) => {
    expect(isDone(children)).toBe(is);
  });

  it.each([
    { desired: { effects: [{}] }, reason: 'an effect is requested' },
    { desired: { partial: 'not all is known' }, reason: 'the result is partial' },
  ])('isFinalized() is false when $reason', ({ desired }) => {
    const asked = { ...decision, desired } as unknown as Decision;
    expect(isFinalized({ finalize: clear }, ending([FINALIZER]), asked)).toBe(false);
  });
});

/** The state of a resource that is being deleted, after refusals for these reasons. */
const stateAfter = (...reasons: readonly RefusalReason[]) =>
  unfinishableState(
    { definition: shelfWith(clear) },
    ending([FINALIZER]),
    reasons.map((reason) => refusal(reason, reason)),
  );

describe('unfinishableState()', () => {
  it('unfinishableState() names the write that the end of the namespace refuses, and no other refused write', () => {
    expect(stateAfter('QuotaExceeded', 'NamespaceTerminating')?.message).toContain('"NamespaceTerminating"');
    expect(stateAfter('QuotaExceeded')).toBeUndefined();
  });
});
