import { expect, it } from 'vitest';
import { readinessOf } from '#lib/cli/objects/readiness.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';

const jobWith = (conditions: readonly object[]): ApiObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'report', namespace: 'default', uid: 'u', resourceVersion: '1' },
  status: { conditions },
});

it.for([
  [[{ type: 'Complete', status: 'True' }], { ready: 'True', isReady: true }],
  [
    [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'it failed too often' }],
    { ready: 'False', reason: 'BackoffLimitExceeded', message: 'it failed too often', isReady: false },
  ],
  [[], { ready: 'False', reason: 'Running', isReady: false }],
] as const)('readinessOf() reads the conditions of a Job (%#)', ([conditions, expected]) => {
  expect(readinessOf(jobWith(conditions))).toMatchObject(expected);
});
