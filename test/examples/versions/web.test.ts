import { test } from 'node:test';
import { assertRoundTrip, versionedObjects } from 'cdk8s-reconcile/testing';
import * as fc from 'fast-check';
import { web } from './web.ts';

test('Web comes back from every version', () => {
  fc.assert(fc.property(versionedObjects(fc, web), (object) => assertRoundTrip(web, object)));
});
