import * as fc from 'fast-check';
import {
  ConfigMap,
  Deployment,
  type KindRef,
  type KubeObject,
  Pod,
  Service,
  StatefulSet,
} from '#lib/kind/handles/reference.ts';
import { Widget } from './widgets.ts';

/** Two intents for one child: the one that creates it, and the one that updates it. */
export interface Wish {
  readonly kind: KindRef;
  readonly first: KubeObject;
  readonly second: KubeObject;
}

const optional = <V extends object>(model: { [K in keyof V]: fc.Arbitrary<V[K]> }) =>
  fc.record(model, { requiredKeys: [] });

const word = fc.constantFrom('a', 'b', '', '1', 'true');
const texts = fc.dictionary(fc.constantFrom('a', 'b', 'x.example.com/c'), word, { maxKeys: 3 });
const metadata = optional({ labels: texts, annotations: texts });
const data = fc.dictionary(fc.constantFrom('a', 'b', 'c.txt'), word, { maxKeys: 3 });
const amounts = optional({
  cpu: fc.constantFrom('1', '1000m', '0.5'),
  memory: fc.constantFrom('1Gi', '1024Mi', '100M'),
});

const port = optional({ hostPort: fc.constant(0), protocol: fc.constantFrom('TCP', 'UDP') });
const containerPorts = fc.uniqueArray(
  port.chain((more) =>
    fc.constantFrom(80, 81).map((containerPort) => ({ ...more, name: `p${containerPort}`, containerPort })),
  ),
  { maxLength: 2, selector: ({ containerPort }) => containerPort },
);
const env = fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: word }), {
  maxLength: 3,
  selector: ({ name }) => name,
});

const container = (name: string) =>
  optional({
    image: fc.constantFrom('busybox:1', 'busybox:2'),
    command: fc.array(word, { maxLength: 2 }),
    env,
    ports: containerPorts,
    resources: optional({ requests: amounts, limits: fc.constant({ memory: '8Gi', cpu: '8' }) }),
    imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
    tty: fc.boolean(),
    securityContext: optional({ runAsNonRoot: fc.boolean(), allowPrivilegeEscalation: fc.boolean() }),
  }).map((more) => ({ image: 'busybox:1', ...more, name }));

const containers = fc
  .tuple(container('main'), fc.option(container('side')), fc.boolean())
  .map(([main, side, turned]) => (side ? (turned ? [side, main] : [main, side]) : [main]));

const podSpec = optional({
  terminationGracePeriodSeconds: fc.constantFrom(0, 30, 60),
  nodeSelector: texts,
  hostNetwork: fc.constant(false),
  securityContext: optional({ runAsUser: fc.constantFrom(0, 1) }),
  tolerations: fc.array(fc.record({ key: fc.constantFrom('a', 'b'), operator: fc.constant('Exists') }), {
    maxLength: 2,
  }),
  volumes: fc.constantFrom([], [{ name: 'tmp', emptyDir: {} }], [{ name: 'tmp', emptyDir: { sizeLimit: '1024Mi' } }]),
}).chain((more) => containers.map((all) => ({ ...more, containers: all })));

const selector = { app: 'pinning' };
const template = podSpec.map((spec) => ({ metadata: { labels: selector }, spec }));

const deploymentSpec = optional({
  replicas: fc.constantFrom(0, 1, 2),
  paused: fc.boolean(),
  minReadySeconds: fc.constantFrom(0, 5),
  strategy: fc.constantFrom(
    { type: 'Recreate' },
    {},
    { rollingUpdate: { maxSurge: 1 } },
    { rollingUpdate: { maxSurge: '50%' } },
  ),
}).chain((more) => template.map((pods) => ({ ...more, selector: { matchLabels: selector }, template: pods })));

const statefulSetSpec = optional({
  replicas: fc.constantFrom(0, 1),
  updateStrategy: fc.constantFrom({}, { type: 'OnDelete' }, { rollingUpdate: { partition: 1 } }),
}).chain((more) =>
  template.map((pods) => ({ ...more, serviceName: 'a', selector: { matchLabels: selector }, template: pods })),
);

const servicePorts = fc.uniqueArray(
  optional({
    protocol: fc.constantFrom('TCP', 'UDP'),
    targetPort: fc.constantFrom(80, 'http'),
    appProtocol: fc.constant('http'),
  }).chain((more) => fc.constantFrom(80, 81, 82).map((number) => ({ ...more, name: `p${number}`, port: number }))),
  { minLength: 1, maxLength: 3, selector: ({ port: number }) => number },
);
const serviceSpec = optional({
  selector: texts,
  publishNotReadyAddresses: fc.boolean(),
  sessionAffinity: fc.constantFrom('None', 'ClientIP'),
}).chain((more) => servicePorts.map((ports) => ({ ...more, ports })));

/** Never empty: an empty list of elements has no owner, which is a case of its own. */
const widgetTags = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
const widgetSpec = optional({
  size: fc.constantFrom(0, 1, 3),
  mode: fc.constantFrom('auto', ''),
  flag: fc.boolean(),
  tags: widgetTags,
  parts: fc.uniqueArray(
    optional({ size: fc.constantFrom(0, 1), note: word, tags: widgetTags }).chain((more) =>
      fc.constantFrom('a', 'b', 'c').map((name) => ({ ...more, name })),
    ),
    { minLength: 1, maxLength: 3, selector: ({ name }) => name },
  ),
  steps: fc.array(optional({ at: word, size: fc.constantFrom(1, 2) }), { maxLength: 2 }),
  words: fc.array(word, { maxLength: 2 }),
  limits: texts,
  fixed: texts,
  open: fc.constantFrom({}, { a: [1, { b: '' }] }, { a: [], b: { c: {} } }, { a: { b: 1 } }),
});

const object = (kind: KindRef, body: fc.Arbitrary<object>): fc.Arbitrary<KubeObject> =>
  fc.tuple(metadata, body).map(([meta, more]) => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...meta, name: 'child' },
    ...more,
  }));

const wishes = (kind: KindRef, body: fc.Arbitrary<object>): fc.Arbitrary<Wish> =>
  fc.tuple(object(kind, body), object(kind, body)).map(([first, second]) => ({ kind, first, second }));

const pod = (meta: object, inside: object) => ({
  apiVersion: Pod.apiVersion,
  kind: Pod.kind,
  metadata: { ...meta, name: 'child' },
  spec: inside,
});

/** The specification of a pod is immutable, except for the images. */
const pods: fc.Arbitrary<Wish> = fc
  .tuple(metadata, metadata, podSpec, fc.constantFrom('busybox:1', 'busybox:3'))
  .map(([before, after, spec, image]) => {
    const changed = { ...spec, containers: spec.containers.map((one) => ({ ...one, image })) };
    return { kind: Pod, first: pod(before, spec), second: pod(after, changed) };
  });

const under = (name: string, body: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  body.map((value) => ({ [name]: value }));

const ofVirtual: readonly fc.Arbitrary<Wish>[] = [
  wishes(ConfigMap, optional({ data, binaryData: fc.constantFrom({}, { z: 'AA==' }) })),
  wishes(Deployment, under('spec', deploymentSpec)),
  wishes(Service, under('spec', serviceSpec)),
  wishes(Widget, under('spec', widgetSpec)),
  pods,
];

/** Intents for children of kinds that the virtual API server knows. */
export const virtualWishes: fc.Arbitrary<Wish> = fc.oneof(...ofVirtual);

/** Intents for children of all kinds. */
export const realWishes: fc.Arbitrary<Wish> = fc.oneof(
  ...ofVirtual,
  wishes(StatefulSet, under('spec', statefulSetSpec)),
);
