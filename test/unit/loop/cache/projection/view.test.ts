import { describe, expect, it } from 'vitest';
import { type KindRef, Pod, reading } from '#lib/kind/handles/reference.ts';
import { withFingerprint } from '#lib/loop/cache/projection/fingerprint.ts';
import { type CachedObject, projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { viewOf, withWhole } from '#lib/loop/cache/projection/view.ts';

const live = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '5' },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running', podIP: '10.0.0.1' },
};

/** An object in the cache when one kind reads the node and another does not. */
const cached: CachedObject = projectionOf(['spec.nodeName', 'status.phase', 'status.conditions'])(live);

describe('viewOf()', () => {
  it('viewOf() shows a kind only what it declared to read, whatever else runs in the process', () => {
    expect(viewOf(Pod, cached)).toMatchObject({ metadata: { name: 'a' }, status: { phase: 'Running' } });
    expect(viewOf(Pod, cached)).not.toHaveProperty('spec');
    expect(viewOf(reading(Pod, ['spec.nodeName']), cached)).toMatchObject({ spec: { nodeName: 'n1' } });
  });

  it('viewOf() gives the same view every time, so that it costs once', () => {
    expect(viewOf(Pod, cached)).toBe(viewOf(Pod, cached));
  });

  it('viewOf() throws at what is not declared when the whole object is remembered, and is otherwise the same', () => {
    const remembered = withWhole(projectionOf(Pod.fields))(live);
    const view = viewOf(Pod, remembered);
    expect(view).toBe(viewOf(Pod, remembered));
    expect(view).toEqual(viewOf(Pod, cached));
    expect(Object.isFrozen(view) && Object.isFrozen(Reflect.get(view, 'status'))).toBe(true);
    expect(() => Reflect.get(view, 'spec') as unknown).toThrow("reading(Pod, ['spec'])");
    expect(remembered).not.toHaveProperty('spec');
  });

  it('viewOf() shows the whole object to a kind that declared no fields', () => {
    const whole: KindRef = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
    expect(viewOf(whole, cached)).toBe(cached);
  });

  it('viewOf() returns the cached object itself when the kind reads all kept fields, and a view otherwise', () => {
    const fields = ['spec.nodeName', 'status.phase', 'metadata.annotations.color'];
    const project = withFingerprint(projectionOf(fields), () => undefined, fields);
    const object = project(live);
    const reader: KindRef = { ...Pod, fields: ['status.phase', 'spec.nodeName'] };
    expect(viewOf(reader, object)).toBe(object);
    expect(viewOf({ ...Pod, fields: ['status.phase'] }, object)).not.toHaveProperty('spec');
  });
});
