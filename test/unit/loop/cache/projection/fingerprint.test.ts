import { expect, it } from 'vitest';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { withFingerprint } from '#lib/loop/cache/projection/fingerprint.ts';
import { projectionOf, projectResource } from '#lib/loop/cache/projection/projection.ts';
import { SizeBudget } from '#lib/loop/cache/size/budget.ts';
import { withOnDemand } from '#lib/loop/cache/size/on-demand.ts';
import { withSizeLimit } from '#lib/loop/cache/size/size-limit.ts';

const large = (): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '5' },
  data: { a: 'x'.repeat(20_000) },
});

it.each([
  ['a projection to some fields', projectionOf(['data'])],
  ['the projection of resources', projectResource],
  ['stubs', withSizeLimit(projectResource, { maxBytes: 1000, budget: new SizeBudget(Infinity).share() })],
  ['members that are read on demand', withOnDemand(projectionOf(undefined), 'data')],
])('withFingerprint() returns its own results unchanged: %s', (_, reduce) => {
  const project = withFingerprint(reduce, () => undefined);
  const projected = project(large());
  expect(project(projected as unknown as ApiObject)).toBe(projected);
});
