import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deployment } from 'cdk8s-reconcile';
import { appliedOf, assertRoundTrip, conditionOf, render, versionedObjects } from 'cdk8s-reconcile/testing';
import * as fc from 'fast-check';
import { website } from './website.ts';

const spec = { html: '<h1>Hello</h1>' };

test('a website comes back from every version as it was', () => {
  fc.assert(fc.property(versionedObjects(fc, website), (object) => assertRoundTrip(website, object)));
});

test('a website consists of a ConfigMap, a Deployment and a Service', () => {
  assert.equal(
    render(website, { metadata: { name: 'hello' }, spec }).text,
    `Website "hello" is progressing, RollingOut: 0 of 2 pods are ready
status:
  url: http://hello.default.svc
  readyReplicas: 0
conditions:
  Reachable=False NoPodReady
children:
  create  ConfigMap hello (Missing)
  create  Deployment hello (Missing)
  create  Service hello (Missing)
`,
  );
});

test('a website is ready when all its pods are', () => {
  const [deployment] = appliedOf(render(website, { spec }), Deployment);
  const status = { observedGeneration: 1, updatedReplicas: 2, readyReplicas: 2 };
  const observed = { ...deployment, metadata: { name: 'example', generation: 1 }, status };
  const rendered = render(website, { spec, children: [observed] });
  assert.equal(conditionOf(rendered, 'Ready')?.status, 'True');
  assert.equal(conditionOf(rendered, 'Reachable')?.status, 'True');
});

const templateOf = (html: string) => appliedOf(render(website, { spec: { html } }), Deployment)[0]?.spec?.template;

test('another page replaces the pods', () => {
  assert.notDeepEqual(templateOf('<h1>Bye</h1>'), templateOf('<h1>Hello</h1>'));
});
