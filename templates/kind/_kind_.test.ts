import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileCrd, ConfigMap } from 'cdk8s-reconcile';
import { appliedOf, conditionOf, render } from 'cdk8s-reconcile/testing';
import { __kind__ } from './__file__.ts';

const spec = { text: 'Hello' };

test('the definition of __Kind__ compiles', () => {
  assert.equal(compileCrd(__kind__).spec.names.kind, '__Kind__');
});

test('__Kind__ writes its text into a ConfigMap', () => {
  const rendered = render(__kind__, { metadata: { name: 'example' }, spec });
  const [configMap] = appliedOf(rendered, ConfigMap);
  assert.deepEqual(configMap?.data, { text: 'Hello' });
  assert.equal(rendered.status.configMap, 'example-__file__');
  assert.equal(conditionOf(rendered, 'Ready')?.status, 'False');
});

test('__Kind__ is ready, and does nothing more, when the ConfigMap is there', () => {
  const children = appliedOf(render(__kind__, { spec }), ConfigMap);
  const rendered = render(__kind__, { spec, children });
  assert.deepEqual(
    rendered.children.map(({ step, reason }) => `${step} ${reason}`),
    ['skip Unchanged'],
  );
  assert.equal(conditionOf(rendered, 'Ready')?.status, 'True');
});
