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

  it.each(['localhost:80', 'LOCALHOST', 'a.localhost'])('Operator refuses the host %s of effects', (host) => {
    expect(() => manifests({ effects: { metricHosts: [host] } })).toThrow(
      `effects.metricHosts has "${host}" [effect-hosts]; leave it out: the name is that of the pod itself`,
    );
  });

  it.each(['UPPER/Foo:tag', 'Foo', 'a:b:c', 'registry.example.com:5000/Team/op:1', 'op:', `${'{a}'.repeat(160)}@`])(
    'Operator refuses the image %s, which no node can pull',
    (image) => {
      expect(() => manifests({ image })).toThrow(`image is "${image}" [image]`);
    },
  );

  it.each([
    'op',
    'Registry.example.com:5000/team/op_x:V1',
    '[2001:db8::1]:5000/op:1',
    'localhost:5000/op',
    `op@sha256:${'a'.repeat(64)}`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Flux
    'registry.example.com/op:${TAG}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Flux
    '${IMAGE}',
    '{{.Values.image}}',
  ])('Operator accepts the image %s', (image) => {
    expect(JSON.stringify(manifests({ image }))).toContain(image);
  });

  it.each(['10.0.0.5/8', '10.0.0.1/31', 'fd00::1/64', '2001:db8::1:0:0/32'])(
    'Operator refuses the block %s, whose address has bits after the prefix',
    (cidr) => {
      expect(() => manifests({ network: { apiServer: [cidr] } })).toThrow(
        `network.apiServer has "${cidr}" [network]; expected the first address of a block`,
      );
    },
  );

  it.each(['10.0.0.0/8', '0.0.0.0/0', '::/0', 'fd00::/64', 'fd00::1/128', '2001:db8:0:1::/64'])(
    'Operator accepts the block %s',
    (cidr) => {
      expect(JSON.stringify(manifests({ network: { apiServer: [cidr] } }))).toContain(cidr);
    },
  );

  it.each([
    { what: { labels: { 'a/b/c': 'x' } }, says: 'with a valid name and value' },
    { what: { labels: { app: 'a b' } }, says: 'with a valid name and value' },
    { what: { ports: [] }, says: 'expected ports from 1 to 65535' },
    { what: { ports: [0] }, says: 'expected ports from 1 to 65535' },
  ])('Operator refuses DNS pods with $what', ({ what, says }) => {
    const network = { dns: { namespace: 'dns', labels: { app: 'dns' }, ...what } };
    expect(() => manifests({ network })).toThrow(says);
  });

  it('Operator refuses values of files of JavaScript that the types exclude', () => {
    const certificate = { conversion: { certificate: 'certmanager' as 'own' } };
    expect(() => manifests(certificate)).toThrow(
      'conversion.certificate is "certmanager" [conversion]; expected one of own, cert-manager',
    );
    expect(() => manifests({ namespaces: 'abc' as never })).toThrow(
      'namespaces is "abc" [namespaces]; expected a list of names',
    );
  });

  it('Operator refuses a write timeout that its lease does not allow', () => {
    expect(() => manifests({ writeTimeoutSeconds: 11 })).toThrow(
      /writeTimeoutSeconds is 11 \[tuning\]; expected .* 1 to 10/,
    );
    expect(JSON.stringify(manifests({ writeTimeoutSeconds: 10 }))).toContain('"WRITE_TIMEOUT_SECONDS","value":"10"');
  });
});
