import { defineKind } from '#lib/desired/definition.ts';
import { apply, type ChildIntent } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

/** A kind without a function. */
const base = {
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Diary',
  spec: s.object({ title: s.optional(s.string({ maxLength: 20 })) }),
  status: s.object({ pages: s.int32() }),
  owns: [ConfigMap, Pod],
  reads: [Pod] as KindRef[],
};

/** The result of a function with these children. */
export const answering = (children: readonly ChildIntent[]) => ({
  children,
  status: { pages: children.length },
  state: ready('Written', 'all pages'),
});

/** A ConfigMap with this data. */
export const page = (data: Readonly<Record<string, string>>, name = 'page'): ChildIntent =>
  apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data } as never);

/** A function that returns another value at every call. */
export const counter = () => {
  let calls = 0;
  return (): string => String((calls += 1));
};

/** The function of a diary. */
export type DiaryFunction = Parameters<typeof defineKind<typeof base.spec, typeof base.status>>[0]['desired'];

interface StandingOptions {
  readonly ms?: number;
  readonly reads?: KindRef[];
  readonly onDecision?: (pass: DecidedPass) => void;
}

/** A bench whose loop has run for some time over one diary. */
export const standing = async (
  desired: DiaryFunction,
  { ms = 60_000, reads = base.reads, onDecision }: StandingOptions = {},
): Promise<LoopBench> => {
  const bench = new LoopBench(defineKind({ ...base, reads, desired }));
  const { timers } = bench;
  if (onDecision) Object.assign(bench.context, { onDecision });
  // Every request takes some time, so that no two passes have the same time.
  bench.api.before = async () => new Promise<void>((resolve) => void timers.setTimer(1, resolve));
  started(bench);
  bench.declare('diary', {});
  await live(bench, ms);
  return bench;
};

/** A function that returns another page at every call. */
export const ticking = (): DiaryFunction => {
  const next = counter();
  return ({ resource }) => answering([page({ at: next(), title: resource.spec.title ?? '' })]);
};
