import { describe, expect, it, vi } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ApiError } from '#lib/errors.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { type ControllerMetrics, noControllerMetrics } from '#lib/loop/context/metrics.ts';
import { createLogger, type Logger } from '#lib/telemetry/log.ts';
import { writeStatusAs } from '#test/unit/loop/pass/pass-bench.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench, type StoredCondition } from '#test/unit/support/loop-bench.ts';
import { shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

const theirs = {
  type: 'PolicyAccepted',
  status: 'True',
  reason: 'Ok',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

const conditionsOf = (bench: LoopBench): readonly StoredCondition[] =>
  (bench.statusOf('shelf')['conditions'] ?? []) as readonly StoredCondition[];

const statusWrites = (bench: LoopBench): number => bench.api.writes.filter(({ verb }) => verb === 'patchStatus').length;

const withTheirs = async (bench: LoopBench): Promise<void> =>
  writeStatusAs(bench, 'policy', { conditions: [theirs, ...conditionsOf(bench)] });

const running = async (definition: AnyKindDefinition = shelf, books: readonly string[] = []): Promise<LoopBench> => {
  const bench = new LoopBench(definition);
  started(bench);
  bench.declare('shelf', { books });
  await live(bench, 2000);
  bench.api.requests.length = 0;
  return bench;
};

describe('the conditions of other controllers', () => {
  it('survive, and cost no write of ours', async () => {
    const bench = await running();
    await withTheirs(bench);
    bench.api.requests.length = 0;
    await live(bench, 60_000);
    expect(bench.conditionOf('shelf', 'PolicyAccepted')).toEqual(theirs);
    expect(bench.api.writes).toEqual([]);
  });

  it('survive when the status of the kind changes, also after a restart', async () => {
    const bench = await running();
    await withTheirs(bench);
    await live(bench, 1000);
    bench.context.memory.clear();
    bench.edit('shelf', { books: ['a'] });
    await live(bench, 2000);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1 });
    expect(bench.conditionOf('shelf', 'PolicyAccepted')).toEqual(theirs);
    expect(conditionsOf(bench).map(({ type }) => type)).toEqual(['Ready', 'Reconciling', 'Stalled', 'PolicyAccepted']);
  });

  it('are distinguished from conditions that the kind itself reported before', async () => {
    const own = { type: 'Dusty', status: 'True', reason: 'Old', message: '' } as const;
    const definition = shelfThat(({ resource }) => ({
      children: [],
      status: { count: resource.spec.books.length },
      state: ready('Complete', 'all'),
      ...(resource.spec.books.length === 0 && { conditions: [own] }),
    }));
    const bench = await running(definition);
    await withTheirs(bench);
    await live(bench, 1000);
    expect(bench.conditionOf('shelf', 'Dusty')).toBeDefined();
    bench.edit('shelf', { books: ['a'] });
    await live(bench, 2000);
    expect(bench.conditionOf('shelf', 'Dusty')).toBeUndefined();
    expect(bench.conditionOf('shelf', 'PolicyAccepted')).toEqual(theirs);
  });
});

/** Another writer reverts the status every 100 ms for a while. */
const contest = async (bench: LoopBench, rival: string, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 100) {
    if (bench.statusOf('shelf')['note'] !== 'theirs') await writeStatusAs(bench, rival, { note: 'theirs' });
    await live(bench, 100);
  }
};

describe('a status that another writer changes', () => {
  it('is corrected ever more rarely, and both the writer and the field are named', async () => {
    const bench = await running();
    await contest(bench, 'rival', 60_000);
    const ours = statusWrites(bench) / 2;
    expect(ours).toBeGreaterThan(5);
    expect(ours).toBeLessThan(15);
    expect(bench.events.filter(({ reason }) => reason === 'StatusConflict')).toEqual([
      expect.objectContaining({ message: '"rival" keeps changing status.note; stop one of the two writers' }),
    ]);
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toMatchObject({ status: 'True', reason: 'FieldConflict' });
    expect(bench.conditionOf('shelf', 'Stalled')?.status).toBe('False');
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it('is right, and says nothing of a contest, soon after the other writer stops', async () => {
    const bench = await running();
    await contest(bench, 'rival', 20_000);
    await live(bench, 120_000);
    expect(bench.statusOf('shelf')).not.toHaveProperty('note');
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toBeUndefined();
    const before = statusWrites(bench);
    await live(bench, 600_000);
    expect(statusWrites(bench)).toBe(before);
  });

  it('loses the condition soon after the other writer has undone its change and stopped', async () => {
    const bench = await running();
    while (!bench.events.some(({ reason }) => reason === 'StatusConflict')) await contest(bench, 'rival', 100);
    await writeStatusAs(bench, 'rival', { note: null });
    await live(bench, 60_000);
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toBeUndefined();
  });

  it('is said to be changed by a process of the same name when there is no other manager', async () => {
    const bench = await running();
    await contest(bench, bench.context.fieldManager, 20_000);
    const conflict = bench.events.find(({ reason }) => reason === 'StatusConflict');
    expect(conflict?.message).toContain(`another process that writes as "${bench.context.fieldManager}"`);
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toBeUndefined();
  });

  it('is corrected at once when a person edits it now and then', async () => {
    const bench = await running();
    for (let edit = 0; edit < 10; edit += 1) {
      await writeStatusAs(bench, 'kubectl-edit', { note: 'mine' });
      await live(bench, 1000);
      expect(bench.statusOf('shelf')).not.toHaveProperty('note');
      await live(bench, 60_000);
    }
    expect(bench.events.filter(({ reason }) => reason === 'StatusConflict')).toEqual([]);
  });
});

describe('the status of a resource that keeps changing', () => {
  it('is written within a second of each change of Ready, however often it changes', async () => {
    let isFull = false;
    const bench = await running(
      shelfThat(({ clock }) => {
        clock.now();
        const state = isFull ? ready('Complete', 'all') : progressing('Filling', 'some');
        return { children: [], status: { count: isFull ? 1 : 0 }, state };
      }),
    );
    for (let change = 0; change < 40; change += 1) {
      isFull = !isFull;
      bench.api.edit(bench.kind, 'shelf', (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { change: String(change) } },
      }));
      await live(bench, 500);
      expect(bench.conditionOf('shelf', 'Ready')?.status).toBe(isFull ? 'True' : 'False');
    }
    expect(statusWrites(bench)).toBe(40);
  });
});

describe('a status of which the definition lacks a field', () => {
  /** A kind that reads its status, as most kinds do, and reports fields that the CRD of an older definition lacks. */
  const newer = defineKind({
    ...shelf,
    status: s.object({
      count: s.int32(),
      note: s.optional(s.string()),
      parts: s.optional(s.list(s.object({ a: s.int32(), b: s.int32() }), { maxItems: 9 })),
    }),
    desired: ({ resource }) => ({
      children: [],
      status: {
        count:
          resource.status?.count === resource.spec.books.length ? resource.status.count : resource.spec.books.length,
        note: 'new',
        parts: [{ a: 1, b: 2 }],
      },
      state: ready('Complete', 'all'),
    }),
  });
  const older = defineKind({
    ...newer,
    status: s.object({ count: s.int32(), parts: s.optional(s.list(s.object({ a: s.int32() }), { maxItems: 9 })) }),
  });

  const outdated = async () => {
    const error = vi.fn<Logger['error']>();
    const log = { ...createLogger('silent'), error };
    const bench = new LoopBench(newer, log);
    bench.api.redefine(older);
    started(bench);
    bench.declare('shelf', { books: [] });
    bench.declare('other', { books: [] });
    await live(bench, 5000);
    return { bench, error };
  };

  it('is written without it, with one condition and one line of the log that say the way out, and not as Stalled', async () => {
    const { bench, error } = await outdated();
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toMatchObject({
      status: 'True',
      reason: 'DefinitionOutdated',
      message:
        'the CustomResourceDefinition has no status.note, status.parts[].b: it is older than the operator; apply the install bundle, definitions first',
    });
    expect(bench.conditionOf('other', 'StatusImpaired')?.status).toBe('True');
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
    expect(bench.conditionOf('shelf', 'Stalled')?.status).toBe('False');
    expect(error).toHaveBeenCalledTimes(1);
    expect(statusWrites(bench)).toBeLessThanOrEqual(4);
  });

  it('is not written again while nothing changes, but for one resource of the kind every five minutes', async () => {
    const { bench } = await outdated();
    bench.api.requests.length = 0;
    await live(bench, 250_000);
    expect(bench.api.requests).toEqual([]);
    await live(bench, 3_600_000);
    expect(statusWrites(bench)).toBeLessThanOrEqual(13);
  });

  it('is written for what does change', async () => {
    const { bench } = await outdated();
    bench.edit('shelf', { books: ['a', 'b'] });
    await live(bench, 1000);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 2, observedGeneration: 2 });
  });

  it('is whole, without the condition, some minutes after the definition was updated', async () => {
    const { bench } = await outdated();
    bench.api.redefine(newer);
    await live(bench, 310_000);
    for (const name of ['shelf', 'other']) {
      expect(bench.statusOf(name)).toMatchObject({ note: 'new', parts: [{ a: 1, b: 2 }] });
      expect(bench.conditionOf(name, 'StatusImpaired')).toBeUndefined();
    }
  });
});

describe('a status that cannot be written', () => {
  it.each([
    { httpStatus: 422, reason: 'Invalid' },
    { httpStatus: 413, reason: 'Invalid' },
    { httpStatus: 403, reason: 'Forbidden' },
    { httpStatus: 404, reason: 'NotFound' },
  ])('is an error in the log, a metric and an event: $httpStatus', async ({ httpStatus, reason }) => {
    const error = vi.fn<Logger['error']>();
    const statusFailed = vi.fn<ControllerMetrics['statusFailed']>();
    const bench = new LoopBench(shelf, { ...createLogger('silent'), error });
    Object.assign(bench.context, { metrics: { ...noControllerMetrics, statusFailed } });
    bench.api.refuse = ({ verb }) =>
      verb === 'patchStatus' ? new ApiError('patch shelves', { httpStatus, reason: '', message: 'no' }) : undefined;
    bench.declare('shelf', { books: [] });
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(error).toHaveBeenCalledWith(expect.objectContaining({ key: 'default/shelf' }), 'status write failed');
    expect(statusFailed).toHaveBeenCalledWith(reason);
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'FailedStatus' }));
  });

  it('shows its age in a metric until it is written', async () => {
    const statusWritten = vi.fn<ControllerMetrics['statusWritten']>();
    const bench = new LoopBench();
    Object.assign(bench.context, { metrics: { ...noControllerMetrics, statusWritten } });
    const controller = bench.controller();
    bench.api.refuse = ({ verb }) =>
      verb === 'patchStatus'
        ? new ApiError('patch', { httpStatus: 429, reason: 'TooManyRequests', message: '' })
        : undefined;
    bench.declare('shelf', { books: [] });
    await bench.pass('shelf');
    await bench.timers.advance(7000);
    expect(controller.probe.staleMs()).toBe(7000);
    bench.api.refuse = () => undefined;
    await bench.pass('shelf');
    expect(statusWritten).toHaveBeenCalledExactlyOnceWith(7000);
    expect(controller.probe.staleMs()).toBe(0);
  });
});
