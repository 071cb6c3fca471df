import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import {
  assertNoAdoptionFight,
  assertNoFight,
  disownedAfter,
  type Fight,
  fightsSlot,
} from '#lib/loop/pass/execute/fights.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { childOf } from '#test/unit/support/plan-inputs.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

type ApplyStep = Parameters<typeof assertNoFight>[2];
type AdoptStep = Parameters<typeof assertNoAdoptionFight>[2];

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const common = { kind: ConfigMap, name: 'a', uid: 'uid-a', object } as const;

const drift = (...lost: readonly string[]): ApplyStep => ({
  ...common,
  step: 'apply',
  intent: 'i',
  reason: 'Drifted',
  lost: lost.map((name) => ['f:data', `f:${name}`]),
});

const override = (...wanted: readonly string[]): ApplyStep => ({
  ...common,
  step: 'apply',
  intent: 'i',
  reason: 'Overridden',
  overrides: wanted.map((value, index) => ({ way: ['f:data', `f:${index}`], wanted: value, found: undefined })),
});

const adoption = (more: Partial<AdoptStep> = {}): AdoptStep => ({
  ...common,
  step: 'adopt',
  reason: 'Restored',
  ...more,
});

const outcome = async (asked: Promise<void>): Promise<ApiError | 'allowed'> =>
  asked.then(
    () => 'allowed' as const,
    (error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    },
  );

/** A wardrobe whose children are restored ConfigMaps, and functions that ask whether a write is allowed. */
const arena = (...names: readonly string[]) => {
  const bench = new LoopBench(wardrobe);
  bench.declare('w', { content: {} });
  const children = names.map((name) => childOf(ConfigMap, name, { uid: `uid-${name}` }));
  const seen: Snapshot = { ...snapshotOf(bench.context, 'w'), children, restored: children };
  return {
    bench,
    context: bench.context,
    seen,
    apply: async (step: ApplyStep) => outcome(assertNoFight(bench.context, seen, step)),
    adopt: async (step = adoption()) => outcome(assertNoAdoptionFight(bench.context, seen, step)),
    after: async (ms: number) => bench.timers.advance(ms),
  };
};

const repeated = async <T>(times: number, act: () => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let time = 0; time < times; time += 1) results.push(await act());
  return results;
};

const allowed = (times: number): string[] => Array.from({ length: times }, () => 'allowed');

const waitOf = (result: ApiError | 'allowed' | undefined): number | undefined =>
  result instanceof ApiError ? result.retryAfterMs : undefined;

const fightsIn = (context: Context, seen: Snapshot): readonly (readonly [string, Fight])[] => [
  ...fightsSlot.get(context, seen),
];

describe('assertNoFight()', () => {
  it('assertNoFight() refuses the sixth correction, and gives the rest of the pause to each further one', async () => {
    const { apply, after } = arena('a');
    expect(await repeated(5, async () => apply(drift('key')))).toEqual(allowed(5));
    const refused = await apply(drift('key'));
    expect(refused).toMatchObject({
      httpStatus: 409,
      code: 'Conflict',
      retryAfterMs: 15_000,
      causes: [{ reason: 'FieldManagerConflict', message: 'another writer keeps changing data.key of ConfigMap "a"' }],
      message: expect.stringMatching(/^Cannot apply a child: another writer keeps changing data\.key of/) as unknown,
    });
    await after(5000);
    expect(waitOf(await apply(drift('key')))).toBe(10_000);
  });

  it('assertNoFight() allows one correction after the pause, and doubles the next pause', async () => {
    const { context, seen, apply, after } = arena('a');
    await repeated(6, async () => apply(drift('key')));
    await after(15_000);
    expect(await apply(drift('key'))).toBe('allowed');
    expect(fightsIn(context, seen)).toMatchObject([['uid-a data.key', { text: '', rounds: 1, isOverride: false }]]);
    expect(waitOf(await apply(drift('key')))).toBe(30_000);
  });

  it('assertNoFight() counts the corrections of other fields of the same child apart', async () => {
    const { apply } = arena('a');
    const inTurn = async () => [await apply(drift('one')), await apply(drift('two'))];
    expect((await repeated(5, inTurn)).flat()).toEqual(allowed(10));
    expect(waitOf(await apply(drift('one')))).toBe(15_000);
    expect(await apply(drift('two', 'one'))).toBe('allowed');
  });

  it('assertNoFight() names no field and no manager when neither is known', async () => {
    const { apply } = arena('a');
    const { lost: _unknown, ...unknown } = drift();
    const refused = (await repeated(6, async () => apply(unknown as ApplyStep))).at(-1) as ApiError;
    expect(refused.serverMessage).toBe('another writer keeps changing fields of ConfigMap "a"');
  });

  it('assertNoFight() names all managers of the lost fields', async () => {
    const { bench, apply } = arena('a');
    bench.api.put(ConfigMap, { ...object, metadata: { name: 'a', namespace: 'default' } });
    for (const [fieldManager, key] of [
      ['helm', 'one'],
      ['argo', 'two'],
    ] as const)
      await bench.api.client.apply(
        ConfigMap,
        { namespace: 'default', name: 'a' },
        { ...object, data: { [key]: 'theirs' } },
        { fieldManager, force: true },
      );
    const refused = (await repeated(6, async () => apply(drift('one', 'two')))).at(-1) as ApiError;
    expect(refused.serverMessage).toBe('"argo" and "helm" keeps changing data.one, data.two of ConfigMap "a"');
  });

  it('assertNoFight() names no manager when the API server refuses the live get', async () => {
    const { bench, apply } = arena('a');
    bench.api.refuse = ({ verb }) =>
      verb === 'get' ? new ApiError('get', { httpStatus: 403, reason: 'Forbidden', message: 'no' }) : undefined;
    const refused = (await repeated(6, async () => apply(drift('key')))).at(-1) as ApiError;
    expect(refused.serverMessage).toBe('another writer keeps changing data.key of ConfigMap "a"');
  });

  it('assertNoFight() refuses even the first correction of an override, and allows one after each pause', async () => {
    const { context, seen, apply, after } = arena('a');
    expect(waitOf(await apply(override('x')))).toBe(5000);
    await after(2000);
    expect(waitOf(await apply(override('x')))).toBe(3000);
    await after(3000);
    expect(await apply(override('x'))).toBe('allowed');
    expect(fightsIn(context, seen)).toMatchObject([['uid-a data.0', { text: '', isOverride: true }]]);
    expect(waitOf(await apply(override('x')))).toBe(10_000);
  });

  it('assertNoFight() cuts long values of an override', async () => {
    const { apply } = arena('a');
    // With its quotes, the first value has 80 characters, and the second one more.
    const refused = (await apply(override('x'.repeat(78), 'y'.repeat(79)))) as ApiError;
    expect(refused.serverMessage).toBe(
      `an admission webhook or policy changes data.0 from "${'x'.repeat(78)}" to absent, data.1 from "${'y'.repeat(79)}… to absent of ConfigMap "a"`,
    );
  });

  it('assertNoFight() forgets the corrections of children that are gone, but not a pause before its end', async () => {
    const { context, seen, apply, after } = arena('b');
    const other = { ...drift('key'), name: 'b', uid: 'uid-b' };
    await apply(drift('key'));
    await apply(other);
    expect(fightsIn(context, seen).map(([id]) => id)).toEqual(['uid-b data.key']);
    await repeated(6, async () => apply(drift('key')));
    await apply(other);
    expect(fightsIn(context, seen).map(([id]) => id)).toEqual(['uid-b data.key', 'uid-a data.key']);
    await after(15_000);
    await apply(other);
    expect(fightsIn(context, seen).map(([id]) => id)).toEqual(['uid-b data.key']);
  });
});

const adoptionsIn = ({ memory }: Context): ReadonlyMap<string, unknown> | undefined =>
  memory.get(keyOf('default', 'w'))?.values['adoptions'] as ReadonlyMap<string, unknown> | undefined;

describe('assertNoAdoptionFight()', () => {
  it('assertNoAdoptionFight() refuses the sixth adoption, and allows one after each pause', async () => {
    const { context, seen, adopt, after } = arena('a');
    expect(await repeated(5, async () => adopt())).toEqual(allowed(5));
    expect(await adopt()).toMatchObject({
      retryAfterMs: 15_000,
      serverMessage: 'another writer keeps changing metadata.ownerReferences of ConfigMap "a"',
    });
    await after(5000);
    expect(waitOf(await adopt())).toBe(10_000);
    await after(10_000);
    expect(await adopt()).toBe('allowed');
    expect(fightsIn(context, seen)).toMatchObject([
      ['uid-a metadata.ownerReferences', { kind: 'ConfigMap', name: 'a', text: '', isOverride: false }],
    ]);
    expect(waitOf(await adopt())).toBe(30_000);
  });

  it('assertNoAdoptionFight() allows all adoptions for another reason', async () => {
    const { adopt } = arena('a');
    expect(await repeated(10, async () => adopt(adoption({ reason: 'Orphan' })))).toEqual(allowed(10));
  });

  it('assertNoAdoptionFight() does not count an owner reference that admission removed in our own request', async () => {
    const { context, seen, adopt } = arena('a');
    await repeated(4, async () => adopt());
    const answer = { ...object, metadata: { name: 'a', namespace: 'default', uid: 'uid-a' } } as ApiObject;
    const step = adoption();
    const { error } = await disownedAfter(context, seen, { step, answer });
    expect(error.retryAfterMs).toBe(5000);
    expect(await repeated(5, async () => adopt())).toEqual(allowed(5));
  });

  it('assertNoAdoptionFight() forgets adoptions after ten minutes', async () => {
    const { context, adopt, after } = arena('a', 'b', 'c');
    await adopt();
    await adopt(adoption({ name: 'b', uid: 'uid-b' }));
    await after(1);
    await adopt();
    expect([...(adoptionsIn(context)?.keys() ?? [])]).toEqual(['uid-b', 'uid-a']);
    await after(599_999);
    await adopt(adoption({ name: 'c', uid: 'uid-c' }));
    expect([...(adoptionsIn(context)?.keys() ?? [])]).toEqual(['uid-a', 'uid-c']);
  });
});
