import { describe, expect, it } from 'vitest';
import type { RolloutChecks } from '#constructs/rollout/checks/facts.ts';
import { checkFaults } from '#constructs/rollout/checks/faults.ts';
import { hook, metric } from './check-bench.ts';

const step = (rest: Partial<RolloutChecks['steps'][number]>): RolloutChecks => ({ steps: [{ percent: 10, ...rest }] });
const withoutAddress = () => {
  const { address: _, ...rest } = metric();
  return rest;
};

describe('checkFaults()', () => {
  it('checkFaults() finds nothing in checks that can be carried out', () => {
    const checks = {
      webhooks: [hook('Post')],
      notify: [{ type: 'Slack', secretName: 's' } as const],
      steps: [{ percent: 10, metrics: [metric()] }],
    };
    expect(checkFaults(checks, undefined)).toEqual([]);
    expect(checkFaults(step({ metrics: [withoutAddress()] }), 'http://prometheus:9090')).toEqual([]);
  });

  it('checkFaults() names a metric without an address when the operator has none either', () => {
    expect(checkFaults(step({ metrics: [withoutAddress()] }), undefined)).toEqual([
      'spec.steps[0].metrics[errors] has no address, and the operator has no PROMETHEUS_URL; set address, or ask the administrator of the operator to set PROMETHEUS_URL',
    ]);
  });

  it('checkFaults() names a word of a query that means nothing, and those that do', () => {
    const [fault] = checkFaults(step({ metrics: [metric({ query: 'x{v="{{kanary}}"}' })] }), undefined);
    expect(fault).toMatch(/query has \{\{kanary\}\}.*\{\{canary\}\}/);
  });

  it.each(['http://prometheus:9090/-/quit?x=', 'http://prometheus:9090/-/quit#', 'http://prometheus:9090/?'])(
    'checkFaults() refuses the address %s, in which the query would be lost',
    (address) => {
      const [fault] = checkFaults(step({ metrics: [metric({ address })] }), undefined);
      expect(fault).toMatch(/address is ".*": it must not hold \? or #/);
    },
  );

  it('checkFaults() refuses a query that makes too long a URL', () => {
    const [fault] = checkFaults(step({ metrics: [metric({ query: '{'.repeat(900) })] }), undefined);
    expect(fault).toMatch(/more than 2048 characters/);
  });

  it.each([
    {
      checks: step({ metrics: [metric({ address: 'http://169.254.169.254' })] }),
      path: 'spec.steps[0].metrics[errors].address',
    },
    {
      checks: step({ webhooks: [hook('Pre', { url: 'http://metadata/' })] }),
      path: 'spec.steps[0].webhooks[hook].url',
    },
    { checks: step({ notify: [{ type: 'Slack', url: 'http://[fe80::1]/' }] }), path: 'spec.steps[0].notify[0].url' },
    { checks: { steps: [], webhooks: [hook('Pre', { url: 'http://169.254.1.1/' })] }, path: 'spec.webhooks[hook].url' },
    {
      checks: { steps: [], notify: [{ type: 'Webhook', url: 'http://169.254.1.1/' } as const] },
      path: 'spec.notify[0].url',
    },
  ])('checkFaults() refuses a link-local address or a metadata service at $path', ({ checks, path }) => {
    const faults = checkFaults(checks, undefined);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.startsWith(`${path} is "http`)).toBe(true);
  });
});
