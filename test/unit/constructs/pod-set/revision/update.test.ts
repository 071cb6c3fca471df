import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import type { DryRunOutcome } from '#lib/desired/observation.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { revisionObject } from '#lib/workload/controller-revision.ts';
import { REVISION_LABEL, templateHash } from '#lib/workload/pod-template.ts';
import { CLASSIC, conditionIn, desiredOf, madeBy, NOW, namesBy, reasonsOf, setPod, slot } from '../support.ts';

const templateOf = (image: string): PodTemplateSpec => ({ spec: { containers: [{ name: 'c', image }] } });
const [one, two] = [templateOf('a:1'), templateOf('a:2')];
const [hashOne, hashTwo] = [templateHash(one), templateHash(two)];

const snapshotOf = (template: PodTemplateSpec, number: number): KubeObject => {
  const hash = templateHash(template);
  const object = revisionObject({ owner: 'web', hash, number, template });
  const created = { uid: `uid-of-${hash}`, resourceVersion: '3', creationTimestamp: NOW, namespace: 'default' };
  return { ...object, metadata: { ...object.metadata, ...created } };
};

const podsOf = (revision: string, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => setPod({ name: slot(from + i), revision }));

const accepted: DryRunOutcome = { state: 'succeeded', value: { accepted: true, message: '' }, at: NOW };
const refused: DryRunOutcome = {
  state: 'succeeded',
  value: { accepted: false, message: `Pod "${slot(3)}" is invalid: spec.containers[0].image: Required value` },
  at: NOW,
};

/** Three pods of the first template, while the spec has the second. */
const edited = (outcome?: DryRunOutcome, more: Partial<Parameters<typeof desiredOf>[0]> = {}) =>
  desiredOf({
    spec: { replicas: 3, template: two, ...more.spec },
    children: more.children ?? [...podsOf(hashOne, 0, 3), snapshotOf(one, 1), snapshotOf(two, 2)],
    outcomes: outcome ? { dryRun: { [`template/${hashTwo}/1/0`]: outcome } } : {},
    status: { currentRevision: hashOne, updateRevision: hashOne, observedGeneration: 1, ...more.status },
    ...(more.now === undefined ? {} : { now: more.now }),
  });

const condition = (type: string, status: 'True' | 'False' | 'Unknown', since: string) => ({
  type,
  status,
  reason: 'Asking',
  message: 'said before',
  lastTransitionTime: since,
  observedGeneration: 1,
});

describe('the history of a PodSet', () => {
  it('the kind writes nothing down for pods of the classic template', () => {
    const result = desiredOf({ spec: { replicas: 2 } });
    expect(namesBy(result, 'apply', 'ControllerRevision')).toEqual([]);
    expect(madeBy(result).map(({ metadata }) => metadata?.labels?.[REVISION_LABEL])).toEqual([CLASSIC, CLASSIC]);
    expect(result.status).toMatchObject({ currentRevision: CLASSIC, updateRevision: CLASSIC });
  });

  it('the kind writes a template down with the pods that are made of it', () => {
    const result = desiredOf({ spec: { replicas: 1, template: one } });
    expect(namesBy(result, 'apply', 'ControllerRevision')).toEqual([`web-${hashOne}`]);
    expect(madeBy(result)[0]).toMatchObject({
      metadata: { labels: { app: 'web', [REVISION_LABEL]: hashOne } },
      spec: one.spec,
    });
  });

  it('the kind writes the classic template down before the first other one', () => {
    const children = podsOf(CLASSIC, 0, 2);
    const first = desiredOf({ spec: { replicas: 2, template: one }, children });
    expect(namesBy(first, 'apply', 'ControllerRevision')).toEqual([`web-${CLASSIC}`]);
    expect(first.status).toMatchObject({ currentRevision: CLASSIC, updateRevision: hashOne });
  });

  it('the kind gives the snapshot of a template that comes back a new number, instead of writing it down twice', () => {
    const children = [...podsOf(hashTwo, 0, 1), snapshotOf(one, 1), snapshotOf(two, 2)];
    const result = desiredOf({ spec: { replicas: 1, template: one }, children });
    const made = madeBy(result, 'ControllerRevision') as readonly { revision?: number; metadata?: { name?: string } }[];
    expect(made.map(({ metadata, revision }) => [metadata?.name, revision])).toEqual([[`web-${hashOne}`, 3]]);
  });

  it.each([
    { limit: 0, gone: ['a:5', 'a:6'], reason: 'none is to be kept' },
    { limit: 1, gone: ['a:5'], reason: 'one is to be kept' },
    { limit: 10, gone: [], reason: 'there is room' },
  ])('the kind removes the snapshots of $gone when $reason; those in use stay', ({ limit, gone }) => {
    const old = ['a:5', 'a:6'].map((image, index) => snapshotOf(templateOf(image), index + 1));
    const children = [...podsOf(hashOne, 0, 1), ...old, snapshotOf(one, 3), snapshotOf(two, 4)];
    const spec = { replicas: 1, template: two, revisionHistoryLimit: limit };
    const removed = Object.keys(reasonsOf(desiredOf({ spec, children })));
    expect(removed).toEqual(gone.map((image) => `web-${templateHash(templateOf(image))}`));
  });
});

describe('the update of a PodSet', () => {
  it('the kind asks whether the API server would accept a pod before it replaces any', () => {
    const result = edited();
    expect(result.effects).toMatchObject([{ effect: 'dryRun', key: `template/${hashTwo}/1/0` }]);
    expect(namesBy(result, 'keep')).toHaveLength(3);
    expect(namesBy(result, 'apply')).toEqual([]);
    expect(conditionIn(result, 'TemplateValid')).toMatchObject({ status: 'Unknown', reason: 'Asking' });
    expect(result.events).toEqual([]);
  });

  it('the kind begins when the template is accepted, and records one event', () => {
    const result = edited(accepted);
    expect(madeBy(result).map(({ metadata }) => metadata?.labels?.[REVISION_LABEL])).toEqual([hashTwo]);
    expect(conditionIn(result, 'TemplateValid')).toMatchObject({ status: 'True' });
    expect(result.state).toEqual({
      state: 'progressing',
      reason: 'RollingUpdate',
      message: '0 of 3 pods are of the new revision',
    });
    expect(result.events).toMatchObject([{ type: 'Normal', reason: 'RollingUpdateStarted' }]);
    const said = { ...condition('TemplateValid', 'True', NOW), reason: 'Accepted' };
    const later = edited(accepted, { status: { updateRevision: hashTwo, conditions: [said] } });
    expect(later.events).toEqual([]);
  });

  it('the kind keeps every pod, and names what is wrong without the name of a pod, when the template is refused', () => {
    const result = edited(refused);
    expect(namesBy(result, 'keep')).toHaveLength(3);
    const message = 'Pod of the template is invalid: spec.containers[0].image: Required value';
    expect(conditionIn(result, 'TemplateValid')).toMatchObject({ status: 'False', reason: 'InvalidTemplate', message });
    expect(result.state).toEqual({ state: 'stalled', reason: 'InvalidTemplate', message });
  });

  it('the kind makes pods of the old template while the new one is refused', () => {
    const children = [...podsOf(hashOne, 0, 2), snapshotOf(one, 1), snapshotOf(two, 2)];
    const key = `template/${hashTwo}/1/0`;
    const result = desiredOf({
      spec: { replicas: 3, template: two },
      children,
      outcomes: { dryRun: { [key]: refused } },
      status: { currentRevision: hashOne, updateRevision: hashTwo },
    });
    expect(madeBy(result)).toMatchObject([{ metadata: { labels: { [REVISION_LABEL]: hashOne } }, spec: one.spec }]);
  });

  it.each([
    { since: '2026-11-21T09:25:01Z', key: `template/${hashTwo}/1/0`, reason: 'five minutes are not over' },
    { since: '2026-11-21T09:25:00Z', key: `template/${hashTwo}/1/1`, reason: 'five minutes are over' },
    { since: '2026-11-21T09:20:00Z', key: `template/${hashTwo}/1/2`, reason: 'ten minutes are over' },
  ])('the kind asks under $key about a refused template when $reason', ({ since, key }) => {
    const conditions = [condition('TemplateValid', 'False', since)];
    const result = edited(undefined, { status: { updateRevision: hashTwo, conditions } });
    expect(result.effects?.map((effect) => effect.key)).toEqual([key]);
    expect(conditionIn(result, 'TemplateValid')).toMatchObject({ status: 'False', message: 'said before' });
  });

  it('the kind goes on unanswered after ten seconds, as a quota decides nothing about a template', () => {
    const conditions = [condition('TemplateValid', 'Unknown', '2026-11-21T09:29:50Z')];
    const result = edited({ state: 'running' }, { status: { updateRevision: hashTwo, conditions } });
    expect(madeBy(result)).toHaveLength(1);
    expect(conditionIn(result, 'TemplateValid')).toMatchObject({ status: 'Unknown', reason: 'Unanswered' });
  });

  it('the kind asks nothing when pods of the template exist', () => {
    const children = [...podsOf(hashOne, 0, 3), ...podsOf(hashTwo, 3, 1), snapshotOf(one, 1), snapshotOf(two, 2)];
    const result = edited(undefined, { children });
    expect(result.effects).toBeUndefined();
    expect(reasonsOf(result)).toEqual({ [slot(0)]: 'Updated' });
  });

  it('the kind replaces nothing while it is paused, and makes new pods of the old template', () => {
    const children = [...podsOf(hashOne, 0, 3), snapshotOf(one, 1), snapshotOf(two, 2)];
    const result = edited(undefined, { spec: { replicas: 4, template: two, paused: true }, children });
    expect(result.effects).toBeUndefined();
    expect(madeBy(result)).toMatchObject([{ metadata: { labels: { [REVISION_LABEL]: hashOne } }, spec: one.spec }]);
    expect(conditionIn(result, 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
  });

  it('the kind makes new pods of the new template when the old one is unknown', () => {
    const children = podsOf('unknown', 0, 3);
    const result = edited(undefined, { spec: { replicas: 4, template: two, paused: true }, children, status: {} });
    expect(madeBy(result)).toMatchObject([{ metadata: { labels: { [REVISION_LABEL]: hashTwo } } }]);
  });

  it('the kind leaves old pods to others with OnDelete, and makes new pods of the new template', () => {
    const spec = { replicas: 4, template: two, updateStrategy: { type: 'OnDelete' } } as const;
    const result = edited(undefined, { spec });
    expect(namesBy(result, 'remove')).toEqual([]);
    expect(madeBy(result)).toMatchObject([{ metadata: { labels: { [REVISION_LABEL]: hashTwo } } }]);
  });

  it('the kind records one event that all pods are new', () => {
    const children = [...podsOf(hashTwo, 0, 3), snapshotOf(one, 1), snapshotOf(two, 2)];
    const conditions = [{ ...condition('TemplateValid', 'True', '2026-11-21T09:29:50Z'), reason: 'Accepted' }];
    const before = { currentRevision: hashOne, updateRevision: hashTwo };
    const done = edited(undefined, { children, status: { ...before, conditions } });
    const quick = edited(undefined, { children, status: before });
    expect(quick.events?.map(({ reason }) => reason)).toEqual(['RollingUpdateStarted', 'RollingUpdateCompleted']);
    const unseen = { currentRevision: hashOne, updateRevision: hashOne };
    expect(edited(undefined, { children, status: unseen }).events).toEqual(quick.events);
    expect(done.events).toEqual([
      { type: 'Normal', reason: 'RollingUpdateCompleted', message: `All pods are of revision ${hashTwo}` },
    ]);
    expect(done.status).toMatchObject({ currentRevision: hashTwo, updatedReplicas: 3 });
    expect(conditionIn(done, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewRevisionAvailable' });
    const later = edited(undefined, { children, status: { currentRevision: hashTwo, updateRevision: hashTwo } });
    expect(later.events).toEqual([]);
  });
});
