import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from 'cdk8s-reconcile';
import { appliedOf, assertRoundTrip, render, versionedObjects } from 'cdk8s-reconcile/testing';
import * as fc from 'fast-check';
import { website } from './website.ts';

test('every page becomes a file', () => {
  const spec = {
    index: '<a href="about.html">About</a>',
    pages: [{ file: 'about.html', html: '<h1>About</h1>' }],
  };
  const [files] = appliedOf(render(website, { spec }), ConfigMap);
  assert.deepEqual(files?.data, { 'index.html': spec.index, 'about.html': '<h1>About</h1>' });
});

test('a website comes back from every version as it was', () => {
  fc.assert(fc.property(versionedObjects(fc, website), (object) => assertRoundTrip(website, object)));
});
