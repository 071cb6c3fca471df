import { SHOP } from './cluster.ts';

const template = (image: string, more: object = {}) => ({ spec: { containers: [{ name: 'main', image, ...more }] } });

const podSet = (name: string, spec: object) => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name, namespace: SHOP },
  spec: { replicas: 1, ...spec },
});

/** A rollout whose versions all pause at their first step. */
export const waiting = (image: string) => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name: 'waiting', namespace: SHOP },
  spec: { replicas: 2, template: template(image), steps: [{ percent: 50, pause: true }] },
});

/** Resources that are not well, each for another reason. */
export const unwell: readonly object[] = [
  // The selector does not match the pods of the template.
  podSet('stalled', { selector: { matchLabels: { app: 'another' } }, template: template('nginx:1') }),
  // No node has this label.
  podSet('not-ready', { template: { spec: { ...template('nginx:1').spec, nodeSelector: { disk: 'none' } } } }),
  // The API server refuses the pods at every try: no volume has this name.
  podSet('failing', { template: template('nginx:1', { volumeMounts: [{ name: 'missing', mountPath: '/data' }] }) }),
  waiting('nginx:1'),
];
