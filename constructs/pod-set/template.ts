import type { Pod as KubePod, PodSpec, PodTemplateSpec, TopologySpreadConstraint } from 'kubernetes-types/core/v1.js';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';

/** On a pod that replaces a failed one: how many pods had failed in a row before it. */
export const FAILURES_ANNOTATION = 'app.example.com/failures';

/**
 * The classic pod: busybox that sleeps. Its security context satisfies the Pod Security level *restricted*; busybox
 * itself would run as root, so a user id is named.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
const classicSpec: PodSpec = {
  securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'busybox',
      image: 'busybox',
      command: ['sleep', '3600'],
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};

/** The template of the classic pod. Never change it: pods of all versions have its hash, and another hash would replace them. */
export const classicTemplate: PodTemplateSpec = deepFreeze({ spec: classicSpec });

/**
 * What new classic pods have on top of their template. `sleep` is process 1 of its container, for which the kernel drops SIGTERM
 * without a handler: a pod lasted for its whole grace period of 30 s. With 0 the API server would delete the object while the
 * container still runs.
 *
 * @see https://man7.org/linux/man-pages/man7/pid_namespaces.7.html (The namespace init process)
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/registry/core/pod/strategy.go (CheckGracefulDelete)
 */
const newClassicSpec: PodSpec = { ...classicSpec, terminationGracePeriodSeconds: 1 };

/** The input for new pods, besides their names. */
export interface PodRecipe {
  readonly template: PodTemplateSpec;
  /** Labels in addition to those of the template. */
  readonly labels: Readonly<Record<string, string>>;
  /** Pods that failed in a row before this one, 0 where that delays nothing. @default it takes no failed pod's place */
  readonly failures?: number;
}

/**
 * The constraints by which the scheduler spreads the pods of a ReplicaSet where the template has none. It knows them by their
 * owner, and does not know those of a PodSet, so the pods carry them.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#internal-default-constraints
 */
const spreadOf = (matchLabels: Readonly<Record<string, string>>): TopologySpreadConstraint[] =>
  (
    [
      ['kubernetes.io/hostname', 3],
      ['topology.kubernetes.io/zone', 5],
    ] as const
  ).map(([topologyKey, maxSkew]) => ({
    maxSkew,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels },
  }));

/** A template with its own scheduling constraints is not changed. */
const spreads = ({ topologySpreadConstraints, affinity, nodeName }: PodSpec): boolean =>
  topologySpreadConstraints !== undefined || affinity?.podAntiAffinity !== undefined || nodeName !== undefined;

const spreadSpec = (spec: PodSpec, labels: Readonly<Record<string, string>>): PodSpec =>
  spreads(spec) || Object.keys(labels).length === 0 ? spec : { ...spec, topologySpreadConstraints: spreadOf(labels) };

/** An equal template of a user is not the classic one: its pods are as it is written. */
const specOf = (template: PodTemplateSpec): PodSpec | undefined =>
  template === classicTemplate ? newClassicSpec : template.spec;

/**
 * Makes pods of a template: its labels, annotations and spec; other metadata of a template mean nothing. They share all but
 * the name, so that ten thousand take little memory, however large the template is.
 *
 * @returns the pod of a name
 */
export const podMaker = ({ template, labels, failures }: PodRecipe): ((name: string) => KubePod) => {
  const note = failures === undefined ? {} : { [FAILURES_ANNOTATION]: String(failures) };
  const noted = { ...template.metadata?.annotations, ...note };
  const metadata = {
    labels: { ...template.metadata?.labels, ...labels },
    ...(Object.keys(noted).length > 0 && { annotations: noted }),
  };
  const spec = specOf(template);
  const rest = spec && { spec: spreadSpec(spec, labels) };
  return (name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, ...rest });
};

/** One pod of {@link podMaker}. */
export const podOf = (name: string, recipe: PodRecipe): KubePod => podMaker(recipe)(name);

/** A classic pod with some labels. */
export const classicPod = (name: string, labels: Readonly<Record<string, string>>): KubePod =>
  podOf(name, { template: classicTemplate, labels });
