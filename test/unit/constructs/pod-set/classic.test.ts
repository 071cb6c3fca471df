import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { classicTemplate } from '#constructs/pod-set/template.ts';
import { revisionObject } from '#lib/workload/controller-revision.ts';
import { templateHash } from '#lib/workload/pod-template.ts';
import { CLASSIC, conditionIn, desiredOf, labelsOf, madeBy, namesBy, setPod, slot } from './support.ts';

/** The hash in the label of classic pods, which must be the same in all releases. */
const RELEASED = '8zhbvt65zw';

const graceOf = ({ spec }: Pick<KubePod, 'spec'>): number | undefined => spec?.terminationGracePeriodSeconds;

const madePods = (result: Parameters<typeof madeBy>[0]) => madeBy(result) as readonly KubePod[];

const status = { currentRevision: RELEASED, updateRevision: RELEASED };

describe('podSet.desired() with the classic template', () => {
  it('podSet.desired() gives new classic pods the grace period of one second, and the command as ever', () => {
    const [pod] = madePods(desiredOf({ spec: { replicas: 1 } }));
    expect(pod?.spec?.terminationGracePeriodSeconds).toBe(1);
    expect(pod?.spec?.containers).toMatchObject([{ name: 'busybox', image: 'busybox', command: ['sleep', '3600'] }]);
  });

  it('podSet.desired() knows classic pods of all versions by one hash', () => {
    expect(CLASSIC).toBe(RELEASED);
    expect(templateHash(classicTemplate)).toBe(RELEASED);
  });

  it('podSet.desired() keeps classic pods without the grace period, and replaces lost ones by pods with it', () => {
    const pods = [0, 1].map((index) => setPod({ name: slot(index), labels: labelsOf(RELEASED) }));
    expect(pods.map(graceOf)).toEqual([undefined, undefined]);
    const result = desiredOf({ spec: { replicas: 3 }, children: pods, status });
    expect(namesBy(result, 'keep')).toEqual([slot(0), slot(1)].toSorted());
    expect(namesBy(result, 'remove')).toEqual([]);
    expect(madePods(result).map(graceOf)).toEqual([1]);
    expect(conditionIn(result, 'TemplateValid')).toBeUndefined();
  });

  it('podSet.desired() makes pods of a user as they are written, also of an equal template', () => {
    const template = { spec: { ...classicTemplate.spec, containers: classicTemplate.spec?.containers ?? [] } };
    const object = revisionObject({ owner: 'web', hash: RELEASED, number: 1, template });
    const snapshot = { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '3' } };
    const result = desiredOf({ spec: { replicas: 1, template }, children: [snapshot] });
    expect(madePods(result).map(graceOf)).toEqual([undefined]);
  });

  it('podSet.desired() gives the grace period to classic pods that replace lost ones while an update is held up', () => {
    const template = { spec: { containers: [{ name: 'main', image: 'web:2' }] } };
    const classic = revisionObject({ owner: 'web', hash: RELEASED, number: 1, template: classicTemplate });
    const snapshot = { ...classic, metadata: { ...classic.metadata, uid: 'u', resourceVersion: '3' } };
    const result = desiredOf({
      spec: { replicas: 2, template, paused: true },
      children: [setPod({ name: slot(0), labels: labelsOf(RELEASED) }), snapshot],
      status,
    });
    expect(madePods(result).map(graceOf)).toEqual([1]);
  });
});
