import { describe, expect, it } from 'vitest';
import { Pod, reading } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { projectionOf } from '#lib/loop/projection.ts';
import { viewOf } from '#lib/loop/view.ts';

const wide = reading(Pod, ['spec.nodeName', 'status.podIP']);

const livePod: ApiObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '7' },
  spec: { nodeName: 'node-1', containers: [] },
  status: { phase: 'Running', podIP: '10.0.0.1' },
};

/** What a cache holds that is shared by several kinds. */
const cached = projectionOf(wide.fields)(livePod);

describe('viewOf()', () => {
  it('viewOf() shows what the kind declared to read, although more is cached', () => {
    const { apiVersion, kind, metadata } = livePod;
    expect(viewOf(Pod, cached)).toEqual({ apiVersion, kind, metadata, status: { phase: 'Running' } });
  });

  it('viewOf() shows everything when the kind reads everything', () => {
    const { fields: _, ...whole } = Pod;
    expect(viewOf(whole, cached)).toBe(cached);
  });

  it('viewOf() is the same object every time, and frozen', () => {
    expect(viewOf(wide, cached)).toBe(viewOf(wide, cached));
    expect(viewOf(Pod, cached)).toBe(viewOf(Pod, cached));
    expect(viewOf(Pod, cached)).toSatisfy(Object.isFrozen);
  });

  it('viewOf() tells handles of the same kind apart', () => {
    expect(viewOf(wide, cached)).toHaveProperty('spec.nodeName', 'node-1');
    expect(viewOf(Pod, cached)).not.toHaveProperty('spec');
  });
});
