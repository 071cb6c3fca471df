import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import type { Execution } from '#lib/loop/pass/execute/execute.ts';
import type { WriteStep } from '#lib/loop/pass/execute/write-child.ts';
import { longestStaleMs, reportStatus } from '#lib/loop/pass/report/report.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { refusal } from '#test/unit/loop/pass/execute/refusals.ts';
import { snapshotOf, writeStatusAs } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost } from '#test/unit/support/server-answers.ts';
import { bookPod, shelf } from '#test/unit/support/shelf-kind.ts';

const full: Desired<unknown> = { children: [], status: { count: 0 }, state: ready('Complete', 'all') };

/** The result of a function that read the status of its resource. */
const given = { desired: full, answers: [], outcomes: [], readsStatus: true };

/** The execution of a plan without steps. */
const idle: Execution = {
  done: [],
  refused: [],
  failed: false,
  holds: new Map(),
  began: 0,
  doubts: [],
  cut: false,
  outdated: false,
  current: true,
};

const created: WriteStep = { step: 'create', kind: Pod, name: 'a', declared: bookPod('a'), reason: 'Missing' };
const wrote = { done: [created] };

interface Said {
  readonly desired?: Partial<Desired<unknown>>;
  readonly execution?: Partial<Execution>;
  readonly decision?: Partial<Decision>;
  /** Changes the snapshot of the pass. */
  readonly change?: (seen: Snapshot) => Snapshot;
}

/** The reports about one shelf, each by a pass of its own. */
const reporting = (definition: AnyKindDefinition = shelf) => {
  const bench = new LoopBench(definition);
  bench.declare('shelf', { books: [] });
  const staleMs: number[] = [];
  const metrics = { ...bench.context.metrics, statusWritten: (ms: number) => void staleMs.push(ms) };
  const context = { ...bench.context, metrics };
  const report = async ({ desired, execution, decision, change = (seen) => seen }: Said = {}) => {
    const wanted = { desired: { ...full, ...desired }, plan: { steps: [], pins: new Map() }, ...decision };
    const seen = change(snapshotOf(context, 'shelf'));
    const result = await reportStatus(context, seen, { wanted, execution: { ...idle, ...execution } });
    bench.catchUp();
    return result;
  };
  const told = () => bench.events.map(({ reason }) => reason);
  const pass = async (ms: number): Promise<void> => bench.timers.advance(ms);
  return { bench, context, report, told, pass, staleMs, longest: () => longestStaleMs(context) };
};

const written = { status: 'written' };
const unchanged = { status: 'unchanged' };
const atOnce = { status: 'later', afterMs: 0 };
const counting = (count: number): Said => ({ desired: { status: { count } } });

const withoutStatus = (seen: Snapshot): Snapshot => {
  const { status: _, ...resource } = seen.resource;
  return { ...seen, resource };
};

describe('reportStatus()', () => {
  it('reportStatus() writes a changed status, and nothing while the status stays the same', async () => {
    const { bench, report } = reporting();
    expect(await report()).toEqual(written);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 0 });
    expect(await report()).toEqual(unchanged);
    expect(bench.api.writes).toHaveLength(1);
  });

  it.each([
    { when: 'the API server shows a default status', change: (seen: Snapshot) => seen },
    { when: 'the resource has no status', change: withoutStatus },
  ])('reportStatus() sends the event of a resource that became ready when $when', async ({ change }) => {
    const { report, told } = reporting();
    expect(await report({ change })).toEqual(written);
    expect(told()).toEqual(['Complete']);
  });

  const restoring: Partial<Decision> = { isRestoring: true };
  const disowned = [refusal('a', 'Forbidden', 'adopt'), refusal('b', 'FieldConflict', 'adopt')];

  it.each<{ readonly when: string } & Said>([
    {
      when: 'the pass is no longer current',
      execution: { current: false, refused: [refusal('a', 'Forbidden', 'adopt')] },
    },
    { when: 'a child changed during the pass', execution: { outdated: true } },
    { when: 'the pass wrote a child', execution: wrote },
    {
      when: 'a restored child loses its owner reference and another write is refused',
      execution: { failed: true, refused: disowned },
      decision: restoring,
    },
  ])('reportStatus() leaves the status to the next pass when $when', async ({ execution = {}, decision = {} }) => {
    const { bench, report } = reporting();
    expect(await report({ execution, decision })).toEqual(atOnce);
    expect(bench.api.writes).toEqual([]);
  });

  const refused = [refusal('a', 'Forbidden', 'adopt')];

  it.each<{ readonly when: string } & Said>([
    { when: 'a child changed during the pass and a write was refused', execution: { outdated: true, refused } },
    { when: 'a child was written and a write was refused', execution: { ...wrote, refused } },
    { when: 'the pass stopped at its maximum number of writes', execution: { ...wrote, cut: true } },
    { when: 'the API server forbids to adopt', execution: { failed: true, refused }, decision: restoring },
    { when: 'a refusal is of an earlier pass', execution: { refused: disowned }, decision: restoring },
    { when: 'children with field conflicts are not restored ones', execution: { failed: true, refused: disowned } },
  ])('reportStatus() writes the status at once when $when', async ({ execution = {}, decision = {} }) => {
    const { report } = reporting();
    expect(await report({ execution, decision })).toEqual(written);
  });

  it('reportStatus() writes the status 250 ms after the first of the passes that wrote children', async () => {
    const { report, pass } = reporting();
    expect(await report({ execution: wrote })).toEqual(atOnce);
    await pass(249);
    expect(await report({ execution: wrote })).toEqual(atOnce);
    await pass(1);
    expect(await report({ execution: wrote })).toEqual(written);
    expect(await report({ ...counting(1), execution: wrote })).toEqual(atOnce);
  });

  it('reportStatus() delays a status until 250 ms after the last write', async () => {
    const { report, pass } = reporting();
    expect(await report()).toEqual(written);
    await pass(100);
    expect(await report(counting(1))).toEqual({ status: 'later', afterMs: 150 });
  });

  it('reportStatus() sends the events of the function only when the status is written', async () => {
    const { bench, report, told } = reporting();
    const desired = { events: [{ type: 'Normal', reason: 'Sorted', message: 'by title' }] } as const;
    bench.api.refuse = () => connectionLost();
    expect(await report({ desired })).toEqual({ status: 'failed', retryAfterMs: 0 });
    expect(told()).toEqual([]);
    bench.api.refuse = () => undefined;
    expect(await report({ desired })).toEqual(written);
    expect(told()).toEqual(['Sorted', 'Complete']);
  });

  it('reportStatus() forgets which statuses followed from a status when the function returns the stored one', async () => {
    const { context, report } = reporting();
    expect(await report({ decision: { given } })).toEqual(written);
    expect(inspectMemory(context)).toMatchObject({ 'default/shelf': { statusUnrest: { steps: 0 } } });
    expect(await report({ decision: { given } })).toEqual(unchanged);
    expect(inspectMemory(context)['default/shelf']).not.toHaveProperty('statusUnrest');
  });
});

describe('longestStaleMs()', () => {
  it('longestStaleMs() is the time since the first of the passes that left the status to a later pass', async () => {
    const { report, pass, longest, staleMs } = reporting();
    await report({ execution: wrote });
    await pass(100);
    expect(longest()).toBe(100);
    await report({ execution: wrote });
    await pass(50);
    expect(longest()).toBe(150);
    await report({ execution: wrote });
    await pass(10);
    expect(longest()).toBe(160);
    await report();
    expect([longest(), ...staleMs]).toEqual([0, 160]);
  });

  it('longestStaleMs() counts from the first failed write', async () => {
    const { bench, report, pass, longest, staleMs } = reporting();
    bench.api.refuse = () => connectionLost();
    await report();
    await pass(100);
    await report();
    await pass(100);
    expect(longest()).toBe(200);
    bench.api.refuse = () => undefined;
    await report();
    expect([longest(), ...staleMs]).toEqual([0, 200]);
  });

  it('longestStaleMs() stays 0 after a write, and while the status is unchanged', async () => {
    const { report, pass, longest, staleMs } = reporting();
    await report();
    await pass(100);
    expect(longest()).toBe(0);
    await report();
    await pass(100);
    expect([longest(), ...staleMs]).toEqual([0, 0]);
  });

  it('longestStaleMs() is 0 when the function returns the stored status again', async () => {
    const { report, pass, longest } = reporting();
    await report();
    await report(counting(1));
    await pass(100);
    expect(longest()).toBe(100);
    await report();
    expect(longest()).toBe(0);
  });
});

/** Another writer changes the status. */
const rival = async ({ bench }: { readonly bench: LoopBench }): Promise<void> => {
  await writeStatusAs(bench, 'rival', { note: 'theirs' });
  bench.catchUp();
};

/** Another writer reverts a status and five corrections of it. */
const contested = async (contest: ReturnType<typeof reporting>): Promise<void> => {
  for (let round = 0; round < 6; round += 1) {
    expect(await contest.report()).toEqual(written);
    await rival(contest);
    await contest.pass(250);
  }
};

describe('reportStatus() while another writer changes the status', () => {
  it('reportStatus() delays the sixth correction', async () => {
    const contest = reporting();
    await contested(contest);
    expect(await contest.report()).toEqual({ status: 'later', afterMs: 500 });
    await contest.pass(200);
    expect(await contest.report()).toEqual({ status: 'later', afterMs: 300 });
  });

  it('reportStatus() has a condition about the other writer until some time after its last change', async () => {
    const contest = reporting();
    const { bench, report, pass } = contest;
    await contested(contest);
    await report();
    await pass(500);
    expect(await report()).toEqual({ status: 'written', afterMs: 1000 });
    expect(bench.conditionOf('shelf', 'StatusImpaired')?.reason).toBe('FieldConflict');
    await pass(400);
    expect(await report()).toEqual({ status: 'unchanged', afterMs: 600 });
    await pass(600);
    expect(await report(counting(1))).toEqual(written);
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toBeUndefined();
  });
});

describe('reportStatus() while the API server drops a field', () => {
  const older = defineKind({ ...shelf, status: s.object({ count: s.int32() }) });
  const noted: Said = { desired: { status: { count: 0, note: 'new' }, state: progressing('Filling', 'some') } };

  it('reportStatus() writes the dropped field only as a test, and forgets which statuses followed', async () => {
    const { bench, context, report, pass } = reporting();
    bench.api.redefine(older);
    expect(await report(noted)).toEqual({ status: 'written', afterMs: 0 });
    await pass(250);
    expect(await report({ ...noted, decision: { given } })).toEqual(written);
    expect(inspectMemory(context)['default/shelf']).toHaveProperty('statusUnrest');
    await pass(1000);
    expect(await report(noted)).toEqual({ status: 'unchanged', afterMs: 299_000 });
    expect(inspectMemory(context)['default/shelf']).not.toHaveProperty('statusUnrest');
    await pass(299_000);
    expect(await report(noted)).toEqual(written);
  });
});
