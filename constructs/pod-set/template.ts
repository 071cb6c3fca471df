import type { Pod as KubePod, PodSpec, PodTemplateSpec, TopologySpreadConstraint } from 'kubernetes-types/core/v1.js';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';

/**
 * The annotation of a pod that replaces a failed pod. The value is the number of consecutive failures before the pod, or 0 if
 * they cause no delay.
 */
export const FAILURES_ANNOTATION = 'app.example.com/failures';

/**
 * The classic pod: a busybox container that runs `sleep`. Its security context satisfies the Pod Security level *restricted*. The
 * context sets a user ID, because busybox would run as root otherwise.
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

/**
 * The template of the classic pod. This template must never change, because with another hash, all existing classic pods would be
 * replaced.
 */
export const classicTemplate: PodTemplateSpec = deepFreeze({ spec: classicSpec });

/**
 * The spec of new classic pods, with a grace period that the template does not have. `sleep` is process 1 of its container, and
 * has no handler for SIGTERM, so the kernel ignores this signal. With the default, each pod would stop only after 30 s. With 0,
 * the API server would delete the object while the container still runs.
 *
 * @see https://man7.org/linux/man-pages/man7/pid_namespaces.7.html (The namespace init process)
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/registry/core/pod/strategy.go (CheckGracefulDelete)
 */
const newClassicSpec: PodSpec = { ...classicSpec, terminationGracePeriodSeconds: 1 };

/** The template, the labels and the failure count of new pods. */
export interface PodRecipe {
  readonly template: PodTemplateSpec;
  /** Labels in addition to the labels of the template. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * The number of consecutive failures before the new pods; 0 if the failures cause no delay.
   *
   * @default the pod does not replace a failed pod
   */
  readonly failures?: number;
}

/**
 * Constraints that spread pods over nodes and zones. By default, the scheduler applies the same constraints to pods of a
 * ReplicaSet, but not to every pod of a custom resource.
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

const hasOwnScheduling = ({ topologySpreadConstraints, affinity, nodeName }: PodSpec): boolean =>
  topologySpreadConstraints !== undefined || affinity?.podAntiAffinity !== undefined || nodeName !== undefined;

const spreadSpec = (spec: PodSpec, labels: Readonly<Record<string, string>>): PodSpec =>
  hasOwnScheduling(spec) || Object.keys(labels).length === 0
    ? spec
    : { ...spec, topologySpreadConstraints: spreadOf(labels) };

/** The spec of new pods. A template of a user that is equal to the classic template keeps its spec. */
const specOf = (template: PodTemplateSpec): PodSpec | undefined =>
  template === classicTemplate ? newClassicSpec : template.spec;

/**
 * Makes pods from the labels, annotations and spec of a template. Adds topology spread constraints, unless the template has such
 * constraints, a pod anti-affinity or a node name. Without `labels`, none are added. All pods share one spec object, so that ten
 * thousand pods take little memory even if the template is large.
 *
 * @returns a function that makes the pod with a given name
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

/** Makes a single pod, as {@link podMaker} does. */
export const podOf = (name: string, recipe: PodRecipe): KubePod => podMaker(recipe)(name);

/** A classic pod with additional labels. */
export const classicPod = (name: string, labels: Readonly<Record<string, string>>): KubePod =>
  podOf(name, { template: classicTemplate, labels });
