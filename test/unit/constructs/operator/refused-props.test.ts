import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';

const manifests = (more: Partial<OperatorProps>): unknown => {
  const chart = new Chart(new App(), 'chart');
  new Operator(chart, 'operator', { kinds: [podSet], image: 'operator:1', ...more });
  return chart.toJson();
};

describe('Operator', () => {
  it.each(['admin', 'cluster-admin', 'edit', 'view'])(
    'Operator refuses the name %s of a ClusterRole of the cluster',
    (name) => {
      expect(() => manifests({ name })).toThrow(
        `name is "${name}", and the ClusterRole "${name}" belongs to the cluster [name]; choose another name`,
      );
    },
  );

  it('Operator refuses the name of another operator of the chart', () => {
    const chart = new Chart(new App(), 'chart');
    const props = { kinds: [podSet], image: 'operator:1', name: 'op' };
    new Operator(chart, 'first', { ...props, name: 'other' });
    new Operator(chart, 'second', props);
    expect(() => new Operator(chart, 'third', props)).toThrow(
      'name is "op", and the chart already has a ClusterRole with this name [name]; give each operator of a cluster a name of its own',
    );
  });

  it.each(['169.254.169.254', 'metadata.google.internal:80', '*.metadata.google.internal'])(
    'Operator refuses the host %s of effects, which the process refuses',
    (host) => {
      const effects = { webhookHosts: ['hooks.example.com', host] };
      expect(() => manifests({ effects })).toThrow(
        `effects.webhookHosts has "${host}" [effect-hosts]; leave it out: requests to link-local addresses`,
      );
    },
  );

  it('Operator refuses a write timeout that its lease does not allow', () => {
    expect(() => manifests({ writeTimeoutSeconds: 11 })).toThrow(
      /writeTimeoutSeconds is 11 \[tuning\]; expected .* 1 to 10/,
    );
    expect(JSON.stringify(manifests({ writeTimeoutSeconds: 10 }))).toContain('"WRITE_TIMEOUT_SECONDS","value":"10"');
  });
});
