import { describe, expect, it } from 'vitest';
import { rolloutCheckFields, rolloutCheckRules, stepCheckFields } from '#constructs/rollout/checks/schema.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { progressing } from '#lib/desired/result/state.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { s } from '#lib/kind/schema/schema.ts';

const step = s.object(
  { percent: s.int32({ minimum: 0, maximum: 100, description: 'Share.' }), ...stepCheckFields },
  { description: 'A step.' },
);

/** A kind whose only fields are steps with checks. */
const checked = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Checked',
  spec: s.object(
    { steps: s.optional(s.list(step, { maxItems: 50, description: 'Steps.' })), ...rolloutCheckFields },
    { description: 'Spec.', validations: rolloutCheckRules },
  ),
  status: s.object({ ok: s.boolean({ description: 'Fine.' }) }, { description: 'Status.' }),
  owns: [],
  desired: () => ({ children: [], status: { ok: true }, state: progressing('Checking', 'checking') }),
});

const metric = { name: 'errors', query: 'errors', max: '0.5' };
const hook = { name: 'load', type: 'Pre', url: 'http://load.test:8080/run?x=y' };

const faultsOf = (spec: object): readonly string[] =>
  validateResource(checked, { spec }).map(({ path, message }) => `${path} ${message}`);

const withMetric = (change: object) => ({ steps: [{ percent: 10, metrics: [{ ...metric, ...change }] }] });
const withHook = (change: object) => ({ webhooks: [{ ...hook, ...change }] });

describe('the schema of checks', () => {
  it('the schema of checks compiles to a definition without a rule broken', () => {
    expect(JSON.stringify(compileCrd(checked))).toContain('"onNoData"');
  });

  it.each([
    { spec: withMetric({}), reason: 'a metric has max' },
    { spec: withMetric({ min: 1, max: 5 }), reason: 'bounds are integers' },
    { spec: withMetric({ min: '-0.125' }), reason: 'a bound is a decimal number as text' },
    { spec: withMetric({ name: 'error_rate.p99' }), reason: 'a name has dots and underscores' },
    { spec: withMetric({ address: 'http://prometheus.monitoring.svc:9090/below' }), reason: 'an address has a path' },
    { spec: withHook({}), reason: 'a hook has name, type and url' },
    { spec: withHook({ timeoutSeconds: 60, retries: 10 }), reason: 'a hook is patient' },
    { spec: { notify: [{ type: 'Slack', secretName: 'slack' }] }, reason: 'a notice has a Secret' },
    { spec: { notify: [{ type: 'Webhook', url: 'https://example.com' }] }, reason: 'a notice has a url' },
  ])('the schema of checks accepts it when $reason', ({ spec }) => {
    expect(faultsOf(spec)).toEqual([]);
  });

  it.each([
    { spec: withMetric({ query: '' }), field: 'metrics[0].query', reason: 'a query is empty' },
    { spec: withMetric({ name: 'a/b' }), field: 'metrics[0].name', reason: 'a name would add a part to a key' },
    { spec: withMetric({ max: 0.5 }), field: 'metrics[0].max', reason: 'a bound is a float' },
    {
      spec: withMetric({ address: 'http://user:pass@host' }),
      field: 'metrics[0].address',
      reason: 'an address has a user',
    },
    { spec: withMetric({ intervalSeconds: 0 }), field: 'metrics[0].intervalSeconds', reason: 'an interval is nothing' },
    { spec: withMetric({ onNoData: 'Ignore' }), field: 'metrics[0].onNoData', reason: 'onNoData is unknown' },
    { spec: withHook({ url: 'ftp://x' }), field: 'webhooks[0].url', reason: 'a url is not http' },
    { spec: withHook({ type: 'Before' }), field: 'webhooks[0].type', reason: 'a type is unknown' },
    { spec: withHook({ timeoutSeconds: 61 }), field: 'webhooks[0].timeoutSeconds', reason: 'a try takes too long' },
    { spec: withHook({ retries: 11 }), field: 'webhooks[0].retries', reason: 'there are too many tries' },
    { spec: { notify: [{ type: 'Mail', url: 'http://x' }] }, field: 'notify[0].type', reason: 'a notice goes nowhere' },
  ])('the schema of checks refuses it when $reason', ({ spec, field }) => {
    expect(faultsOf(spec)).toEqual([expect.stringContaining(field)]);
  });
});
