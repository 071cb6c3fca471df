import { type ApiObject, App, Chart, JsonPatch } from 'cdk8s';
import { Operator, podSet } from 'cdk8s-reconcile/constructs';

export const chart = new Chart(new App(), 'operator');
const operator = new Operator(chart, 'operator', { kinds: [podSet], image: 'registry.acme.io/operator:0.1.0' });

const deployment = operator.node.findChild('deployment') as ApiObject;
deployment.addJsonPatch(
  JsonPatch.add('/spec/template/spec/imagePullSecrets', [{ name: 'registry' }]),
  JsonPatch.add('/spec/template/spec/nodeSelector', { 'kubernetes.io/os': 'linux' }),
  JsonPatch.add('/spec/template/spec/containers/0/env/-', { name: 'LEASE_DURATION_SECONDS', value: '30' }),
);
