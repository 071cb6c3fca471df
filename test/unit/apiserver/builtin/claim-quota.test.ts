import { describe, expect, it } from 'vitest';
import { usedOf } from '#lib/apiserver/builtin/quota/quota-admission.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { kindNamed, statusOf, viewOf } from '#test/unit/apiserver/support/strategies.ts';

const claim = (storage: string, { className = 'gold', ...status }: JsonObject = {}) =>
  ({
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'n' },
    spec: { storageClassName: className, resources: { requests: { storage } } },
    status,
  }) as unknown as ServerObject;
const claims = { group: '', plural: 'persistentvolumeclaims' };
const GOLD = 'gold.storageclass.storage.k8s.io';
const limits = (hard: Readonly<Record<string, string>>, more: JsonObject = {}): ServerObject =>
  ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'n' },
    spec: { hard, ...more },
    status: { hard, used: {} },
  }) as unknown as ServerObject;
const used = (hard: readonly string[], objects: readonly ServerObject[], more: JsonObject = {}) =>
  usedOf(limits(Object.fromEntries(hard.map((name) => [name, '9'])), more), [claims], viewOf(objects));

/** The use of a claim for 2Gi whose expansion has allocated an amount. */
const usedAfter = (storage: string) => used(['requests.storage'], [claim('2Gi', { allocatedResources: { storage } })]);

describe('ResourceQuota of claims', () => {
  it('counts claims and their storage, also for each storage class', () => {
    const hard = [
      'persistentvolumeclaims',
      'count/persistentvolumeclaims',
      'requests.storage',
      `${GOLD}/persistentvolumeclaims`,
      `${GOLD}/requests.storage`,
    ];
    expect(used(hard, [claim('1Gi'), claim('500m'), claim('2Gi', { className: 'iron' })])).toEqual({
      'count/persistentvolumeclaims': '3',
      [`${GOLD}/persistentvolumeclaims`]: '2',
      [`${GOLD}/requests.storage`]: '1073741825',
      persistentvolumeclaims: '3',
      'requests.storage': '3221225473',
    });
  });

  it('counts the storage that an expansion has allocated, if it is larger than the request', () => {
    expect([usedAfter('1Gi'), usedAfter('3Gi')]).toEqual([
      { 'requests.storage': '2Gi' },
      { 'requests.storage': '3Gi' },
    ]);
  });

  it.each([
    { operator: 'In', values: ['fast'], counts: 2 },
    { operator: 'NotIn', values: ['fast'], counts: 2 },
    { operator: 'Exists', counts: 2 },
    { operator: 'DoesNotExist', counts: 1 },
  ])('counts the claims in the scope of a VolumeAttributesClass: $operator', ({ counts, ...requirement }) => {
    const attributes = (name: string, current?: string): ServerObject => {
      const { spec, ...rest } = claim(
        '1Gi',
        current === undefined ? {} : { currentVolumeAttributesClassName: current },
      );
      return { ...rest, spec: { ...(spec as JsonObject), volumeAttributesClassName: name } };
    };
    const more = { scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', ...requirement }] } };
    const objects = [claim('1Gi'), attributes('fast'), attributes('fast', 'slow')];
    expect(used(['persistentvolumeclaims'], objects, more)).toEqual({ persistentvolumeclaims: `${counts}` });
  });

  it.each([
    { operation: 'create' as const, subresource: '' as const, old: undefined, object: claim('2') },
    { operation: 'update' as const, subresource: '' as const, old: claim('1'), object: claim('3') },
    {
      operation: 'update' as const,
      subresource: 'status' as const,
      old: claim('1'),
      object: claim('1', { allocatedResources: { storage: '3' } }),
    },
  ])('refuses more storage than it allows: $operation $subresource', ({ old, ...request }) => {
    const hard = { [`${GOLD}/requests.storage`]: '2' };
    const tight = { ...limits(hard), status: { hard, used: { [`${GOLD}/requests.storage`]: '1' } } };
    const admitted = { ...request, ...(old && { old }) };
    expect(statusOf(() => kindNamed('PersistentVolumeClaim').strategy.admit?.(admitted, viewOf([tight])))).toEqual({
      code: 403,
      message: `persistentvolumeclaims "data" is forbidden: exceeded quota: q, requested: ${GOLD}/requests.storage=2, used: ${GOLD}/requests.storage=1, limited: ${GOLD}/requests.storage=2`,
    });
    const other = {
      ...admitted,
      object: claim('9', { className: 'iron' }),
      ...(old && { old: claim('1', { className: 'iron' }) }),
    };
    expect(() => kindNamed('PersistentVolumeClaim').strategy.admit?.(other, viewOf([tight]))).not.toThrow();
  });
});
