import type { Pod as KubePod, PodSpec, PodTemplateSpec, TopologySpreadConstraint } from 'kubernetes-types/core/v1.js';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';

/** Annotation of a pod that replaces a failed pod: the number of consecutive failures before it. */
export const FAILURES_ANNOTATION = 'app.example.com/failures';

/**
 * The spec of the classic pod: busybox that sleeps. Its security context satisfies the Pod Security level *restricted*. The
 * user id is set, because busybox would otherwise run as root.
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
 * The spec of new classic pods, with a short grace period in addition to the template. `sleep` is process 1 of its container,
 * and has no handler for SIGTERM. The kernel drops such a signal, so the pod would stay for the whole default grace period of
 * 30 s. With a grace period of 0, the API server would delete the object while the container still runs.
 *
 * @see https://man7.org/linux/man-pages/man7/pid_namespaces.7.html (The namespace init process)
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/registry/core/pod/strategy.go (CheckGracefulDelete)
 */
const newClassicSpec: PodSpec = { ...classicSpec, terminationGracePeriodSeconds: 1 };

/** The input for new pods, besides their names. */
export interface PodRecipe {
  readonly template: PodTemplateSpec;
  /** Labels in addition to the labels of the template. */
  readonly labels: Readonly<Record<string, string>>;
  /** The number of consecutive failures before this pod; 0 if they cause no delay. @default the pod replaces no failed pod */
  readonly failures?: number;
}

/**
 * The topology spread constraints that the scheduler applies by default to the pods of a ReplicaSet. The scheduler finds such
 * pods by their owner, and it does not support a PodSet as owner. So the pods of a PodSet have the constraints in their spec.
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

/** Whether a spec has its own scheduling constraints, and therefore gets no further constraints. */
const spreads = ({ topologySpreadConstraints, affinity, nodeName }: PodSpec): boolean =>
  topologySpreadConstraints !== undefined || affinity?.podAntiAffinity !== undefined || nodeName !== undefined;

const spreadSpec = (spec: PodSpec, labels: Readonly<Record<string, string>>): PodSpec =>
  spreads(spec) || Object.keys(labels).length === 0 ? spec : { ...spec, topologySpreadConstraints: spreadOf(labels) };

/** The spec of new pods. Only the built-in template gets a short grace period; an equal template of a user is not changed. */
const specOf = (template: PodTemplateSpec): PodSpec | undefined =>
  template === classicTemplate ? newClassicSpec : template.spec;

/**
 * Makes pods with the labels, the annotations and the spec of a template; other metadata of the template is ignored. The pods
 * share everything except their names, so that ten thousand pods take little memory, even with a large template.
 *
 * @returns a function that makes the pod with a name
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

/** Makes one pod, as {@link podMaker} does. */
export const podOf = (name: string, recipe: PodRecipe): KubePod => podMaker(recipe)(name);

/** A classic pod with some labels. */
export const classicPod = (name: string, labels: Readonly<Record<string, string>>): KubePod =>
  podOf(name, { template: classicTemplate, labels });
