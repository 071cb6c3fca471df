import { describe, expect, it } from 'vitest';
import type { Outcomes, Refusal } from '#lib/desired/observation.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import type { Context } from '#lib/loop/context/context.ts';
import type { WriteStep } from '#lib/loop/pass/execute/write-child.ts';
import { idOfStep, onlyOwnWritesSince, type Round, type RoundWrite } from '#lib/loop/pass/settling/round.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { childOf, parent, planInput } from '#test/unit/support/plan-inputs.ts';

const { definition } = planInput([]);
const context = { definition } as Context;

/** A pod in the state with this version of its spec. */
const pod = (name: string, version: number): KubeObject =>
  ({ ...childOf(Pod, name).object, spec: { version } }) as KubeObject;

const children = (...objects: KubeObject[]): Round['children'] => objects.map((object) => ({ kind: Pod, object }));

const writeOf = (step: WriteStep['step'], name: string, after?: KubeObject): [string, RoundWrite] => [
  idOfStep({ kind: Pod, name }),
  { step: { step, kind: Pod, name } as WriteStep, after },
];

/** A pass that saw the pod `old`, and created the pod `new`. */
const round: Round = {
  resource: parent(),
  children: children(pod('old', 1)),
  orphans: [],
  refused: [],
  answers: [],
  outcomes: [{ effect: 'http', key: 'gate', told: { state: 'none' } }],
  awaited: undefined,
  written: new Map([writeOf('create', 'new', pod('new', 1))]),
};

type Later = Pick<Snapshot, 'resource' | 'children' | 'orphans' | 'refused' | 'outcomes'> & {
  readonly nowMicros: number;
};

const later: Later = {
  resource: { ...parent(), status: { observedGeneration: 1 } },
  children: children(pod('new', 1), pod('old', 1)),
  orphans: [],
  refused: [],
  outcomes: noOutcomes,
  nowMicros: 10,
};

const isOnlyOwn = (before: Partial<Round>, now: Partial<Later>, isStill = true): boolean => {
  const { nowMicros, ...seen } = { ...later, ...now };
  const snapshot = { ...seen, clock: { nowMicros }, related: { isStill: () => isStill } };
  return onlyOwnWritesSince(context, { ...round, ...before }, snapshot as unknown as Snapshot);
};

const withMetadata = (metadata: object): Snapshot['resource'] => {
  const { metadata: before, ...rest } = parent();
  return { ...rest, metadata: { ...before, ...metadata } };
};

const refusal: Refusal = { verb: 'create', kind: 'Pod', name: 'x', reason: 'Invalid', attempts: 1, at: '' };
const running: Outcomes = { http: () => ({ state: 'running' }), dryRun: () => ({ state: 'none' }) };
const other = { ...pod('old', 1), metadata: { ...pod('old', 1).metadata, resourceVersion: '8' } };
const released = [writeOf('release', 'old', pod('old', 2))];

interface Case {
  readonly reason: string;
  readonly before?: Partial<Round>;
  readonly now?: Partial<Later>;
}

const own: readonly Case[] = [
  { reason: 'the snapshot shows the written child' },
  {
    reason: 'only versions differ',
    now: { resource: withMetadata({ resourceVersion: '9' }), children: children(pod('new', 1), other) },
  },
  { reason: 'the time of the next call has not come', before: { awaited: 11 } },
  { reason: 'the same refusal remains', before: { refused: [refusal] }, now: { refused: [refusal] } },
  {
    reason: 'a removed child is gone',
    before: { written: new Map([writeOf('remove', 'old')]) },
    now: { children: [] },
  },
  { reason: 'a released child is gone', before: { written: new Map(released) }, now: { children: [] } },
  {
    reason: 'a released child is an orphan',
    before: { written: new Map(released) },
    now: { children: [], orphans: children(pod('old', 2)) },
  },
  {
    reason: 'the snapshot shows an applied child as the apply left it',
    before: { written: new Map([writeOf('apply', 'old', pod('old', 2))]) },
    now: { children: children(pod('old', 2)) },
  },
];

const foreign: readonly Case[] = [
  { reason: 'the metadata of the resource changed', now: { resource: withMetadata({ labels: { a: 'b' } }) } },
  { reason: 'the time of the next call has come', before: { awaited: 10 } },
  { reason: 'a write was refused', now: { refused: [refusal] } },
  { reason: 'a refusal ended', before: { refused: [refusal] } },
  { reason: 'a write was refused again', before: { refused: [refusal] }, now: { refused: [{ ...refusal }] } },
  {
    reason: 'the second of two refusals is another',
    before: { refused: [refusal, refusal] },
    now: { refused: [refusal, { ...refusal }] },
  },
  { reason: 'an outcome arrived', now: { outcomes: running } },
  { reason: 'a child changed', now: { children: children(pod('new', 1), pod('old', 2)) } },
  { reason: 'a child is gone', now: { children: children(pod('new', 1)) } },
  { reason: 'there is another child', now: { children: children(pod('more', 1), pod('new', 1), pod('old', 1)) } },
  { reason: 'there is an orphan', now: { orphans: children(pod('stray', 1)) } },
  { reason: 'an orphan is gone', before: { orphans: children(pod('stray', 1)) } },
  { reason: 'the written child changed', now: { children: children(pod('new', 2), pod('old', 1)) } },
  { reason: 'the written child is gone', now: { children: children(pod('old', 1)) } },
  { reason: 'the removed child is there again', before: { written: new Map([writeOf('remove', 'old')]) } },
  {
    reason: 'the released child is an orphan that changed',
    before: { written: new Map(released) },
    now: { children: [], orphans: children(pod('old', 3)) },
  },
  ...(['create', 'apply'] as const).map((step) => ({
    reason: `another client deleted the child right after the step ${step}`,
    before: { written: new Map([writeOf(step, 'new')]) },
    now: { children: children(pod('old', 1)) },
  })),
];

describe('onlyOwnWritesSince()', () => {
  it.each(own)('onlyOwnWritesSince() is true when $reason', ({ before = {}, now = {} }) => {
    expect(isOnlyOwn(before, now)).toBe(true);
  });

  it.each(foreign)('onlyOwnWritesSince() is false when $reason', ({ before = {}, now = {} }) => {
    expect(isOnlyOwn(before, now)).toBe(false);
  });

  it('onlyOwnWritesSince() is false when one of several look-ups has another answer', () => {
    const answers = [{ objects: [] }, { objects: [] }] as unknown as Round['answers'];
    expect(isOnlyOwn({ answers }, {})).toBe(true);
    expect(isOnlyOwn({ answers }, {}, false)).toBe(false);
  });

  it('onlyOwnWritesSince() compares neither the resource nor its children as results of look-ups', () => {
    const { name, uid } = parent().metadata;
    const { kind } = definition;
    const apiVersion = apiVersionOf(definition);
    const own = { metadata: { uid } };
    const child = childOf(Pod, 'old', { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] }).object;
    const stranger = { metadata: { uid: 'other' } };
    const told: boolean[] = [];
    const isStill = (_answer: unknown, { apart }: { readonly apart: (object: object) => boolean }): boolean => {
      told.push(...[own, child, stranger].map(apart));
      return true;
    };
    const snapshot = { ...later, clock: { nowMicros: 10 }, related: { isStill } } as unknown as Snapshot;
    const answers = [{ objects: [] }] as unknown as Round['answers'];
    expect(onlyOwnWritesSince(context, { ...round, answers }, snapshot)).toBe(true);
    expect(told).toEqual([true, true, false]);
  });
});
