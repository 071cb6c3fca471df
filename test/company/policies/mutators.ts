import { type Admitted, type AdmittedContainer, type AdmittedPod, type AdmittedPodSpec, podIn } from './admitted.ts';
import { createdPods, type Hook, writtenDeployments, writtenPods, writtenResources } from './hooks.ts';

const everything = [writtenPods, writtenDeployments, writtenResources];

/** A webhook that changes pods, and pod templates of Deployments. */
const ofPods = (change: (pod: AdmittedPodSpec) => void): Hook => ({
  admit: (object) => {
    const pod = podIn(object);
    if (pod) change(pod.spec);
  },
});

const ofContainers = (change: (container: AdmittedContainer) => void): Hook =>
  ofPods(({ containers }) => containers.forEach(change));

const onlyPods = (hook: Hook, ...rules: readonly object[]): Hook => ({ ...hook, rules: [createdPods, ...rules] });

/** Adds an element unless the list has it. */
const added = <T>(list: T[] | undefined, element: T, isSame: (each: T) => boolean): T[] =>
  list?.some(isSame) ? list : [...(list ?? []), element];

const named =
  (name: string) =>
  (each: { readonly name?: string }): boolean =>
    each.name === name;

const proxy = (): AdmittedContainer => ({
  name: 'mesh-proxy',
  image: 'proxy:1',
  args: ['proxy'],
  volumeMounts: [{ name: 'mesh', mountPath: '/etc/mesh' }],
});

/** The changes that a service mesh makes to a pod. */
const meshed = ({ metadata, spec }: AdmittedPod, at: 'first' | 'last'): void => {
  if (spec.containers.some(named('mesh-proxy'))) return;
  spec.containers = at === 'first' ? [proxy(), ...spec.containers] : [...spec.containers, proxy()];
  spec.volumes = added(spec.volumes, { name: 'mesh', emptyDir: {} }, named('mesh'));
  metadata.labels = { ...metadata.labels, 'mesh.example.com/tls': 'on' };
  metadata.annotations = { ...metadata.annotations, 'mesh.example.com/status': '{"v":1}' };
};

const mesh = (at: 'first' | 'last'): Hook => ({
  admit: (object) => {
    const pod = podIn(object);
    if (pod) meshed(pod, at);
  },
});

const labelled = ({ metadata }: Admitted): void => {
  metadata.labels = { ...metadata.labels, 'cost-center': 'k42' };
};

/** Webhooks as in real clusters, by name; none contradicts the operator's objects. */
export const mutators: Readonly<Record<string, Hook>> = {
  labels: { admit: labelled, rules: everything },
  templateLabels: {
    admit: (object) => {
      const pod = podIn(object);
      if (pod) pod.metadata.labels = { ...pod.metadata.labels, 'cost-center': 'k42' };
    },
  },
  stamp: {
    admit: ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'audit.example.com/touched': String(process.hrtime.bigint()) };
    },
    rules: everything,
  },
  resources: ofContainers((container) => {
    if (container.resources?.requests) return;
    container.resources = { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } };
  }),
  registry: onlyPods(
    ofContainers((container) => {
      if (!container.image.startsWith('mirror.local/')) container.image = `mirror.local/${container.image}`;
    }),
  ),
  pullPolicy: onlyPods(ofContainers((container) => (container.imagePullPolicy = 'Always'))),
  sidecar: onlyPods(mesh('last')),
  sidecarFirst: onlyPods(mesh('first')),
  sidecarTemplate: mesh('last'),
  nativeSidecar: ofPods((pod) => {
    const container = { name: 'agent', image: 'agent:1', restartPolicy: 'Always' };
    pod.initContainers = added(pod.initContainers, container, named('agent'));
  }),
  securityContext: ofPods((pod) => {
    pod.securityContext = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...pod.securityContext };
  }),
  containerSecurity: ofContainers((container) => {
    container.securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  }),
  tolerations: ofPods((pod) => {
    const spot = { key: 'spot', operator: 'Exists', effect: 'NoSchedule' };
    pod.tolerations = added<object>(pod.tolerations, spot, (each) => JSON.stringify(each).includes('spot'));
  }),
  pullSecrets: ofPods((pod) => (pod.imagePullSecrets = added<object>(pod.imagePullSecrets, { name: 'r' }, named('r')))),
  environment: ofContainers((container) => {
    container.env = added(container.env, { name: 'AGENT_HOST', value: '1' }, named('AGENT_HOST'));
  }),
  authorities: ofPods((pod) => {
    pod.volumes = added(pod.volumes, { name: 'ca', emptyDir: {} }, named('ca'));
    for (const container of pod.containers)
      container.volumeMounts = added(container.volumeMounts, { name: 'ca', mountPath: '/ca' }, named('ca'));
  }),
  hosts: ofPods((pod) => (pod.hostAliases = [{ ip: '10.0.0.9', hostnames: ['registry'] }])),
  names: ofPods((pod) => (pod.dnsConfig = { options: [{ name: 'ndots', value: '2' }] })),
  spread: ofPods((pod) => {
    const topologyKey = 'kubernetes.io/hostname';
    pod.topologySpreadConstraints ??= [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' }];
  }),
  grace: ofPods((pod) => (pod.terminationGracePeriodSeconds = 5)),
  priority: onlyPods(
    ofPods((pod) => {
      pod.priorityClassName = 'system-cluster-critical';
      delete pod.priority;
    }),
  ),
  appLabel: {
    admit: ({ metadata }) => (metadata.labels = { ...metadata.labels, app: 'platform' }),
    rules: [writtenPods],
  },
  strippedAnnotations: {
    admit: ({ metadata }) => {
      const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => /^(kubectl|deployment)\./.test(key));
      metadata.annotations = Object.fromEntries(kept);
    },
    rules: everything,
  },
  resourceItself: {
    admit: (object) => {
      labelled(object);
      if (object.spec && object.kind === 'PodSet') object.spec.minReadySeconds = 1;
    },
    rules: [writtenResources],
  },
};
