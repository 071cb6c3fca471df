import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { EffectHostLists } from '#lib/desired/hosts/effect-hosts.ts';
import type { EventsSetting } from '#lib/desired/settings/events-setting.ts';
import type { Tuning } from '#lib/desired/settings/tuning.ts';
import type { PodGuardMode } from './admission/pod-guard.ts';
import type { ConversionProps } from './conversion.ts';
import type { MonitoringProps } from './monitoring/props.ts';
import type { NetworkProps } from './network/network-policy.ts';
import type { TrustProps } from './process/trust.ts';
import type { ReleasedProps } from './released/released.ts';
import type { GrantProps } from './rights/grants.ts';

/** The levels of the log, from the most to the fewest messages. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The kinds of an operator, its name and its settings. The settings of {@link Tuning} become environment variables of its pods.
 */
export interface OperatorProps extends Tuning {
  /** Definitions of the kinds that the operator reconciles; at least one. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The container image, preferably with the digest that `cdk8s-reconcile image` prints: `registry/name@sha256:…`. */
  readonly image: string;
  /**
   * The name of the Deployment, the ServiceAccount and the Lease, and the beginning of most other names. The name is a DNS
   * label that begins with a letter, of at most 55 characters; 52 with conversion functions. It must be unique in the cluster,
   * because cluster-scoped objects have no other part in their names.
   *
   * @default 'reconcile-operator'
   */
  readonly name?: string;
  /** The namespace that the bundle creates for the operator: a DNS label, but not `default` or `kube-*`. @default the name */
  readonly namespace?: string;
  /**
   * The only namespaces in which the operator reconciles resources: DNS labels, at least one. The namespaces must exist. Rights
   * on cluster-scoped objects apply to the whole cluster in any case.
   *
   * @default all namespaces
   */
  readonly namespaces?: readonly string[];
  /**
   * The hosts to which effects may send HTTP requests: `host`, `host:port` or `*.domain`, at least one. The operator gets the
   * right to read single Secrets and ConfigMaps, which have the credentials and certificates for the requests. Metric hosts
   * only receive `GET <path>/api/v1/query`; webhook hosts receive any request that a resource specifies.
   *
   * @default no requests, and no rights on Secrets for effects
   */
  readonly effects?: EffectHostLists & {
    /**
     * The Prometheus-compatible server for the metrics of rollouts without the field `address`, such as
     * `http://prometheus.monitoring.svc:9090`. The host of the server must be a metric host, and a kind must use the setting
     * (`operatorSettings`). The pods get the URL as `PROMETHEUS_URL`.
     *
     * @default none: every metric needs an address
     */
    readonly prometheusUrl?: string;
    /**
     * Certificate authorities for the hosts of effects, in addition to those of Node.js. The certificates come from a ConfigMap
     * or a Secret in the namespace of the operator, which must exist before the pods start. Node.js reads the authorities once
     * at its start, so restart the Deployment after a change. Metrics and webhooks can also name authorities in the namespace
     * of their resource.
     *
     * @default only the authorities of Node.js
     */
    readonly certificateAuthority?: TrustProps;
  };
  /**
   * Roles that the kinds can grant although the operator does not have the rights of these roles. The option is for kinds that
   * own RoleBindings, ClusterRoleBindings, Roles or ClusterRoles.
   *
   * @default none: such kinds are refused
   * @example
   * grants: { bind: ['ClusterRole/view'] }
   */
  readonly grants?: GrantProps;
  /**
   * The CRDs of the last release. Synth fails for changes that break stored objects, manifests or programs, and are not
   * accepted. Additions are allowed.
   *
   * @default there is no release, and the CRDs are not compared
   */
  readonly released?: ReleasedProps;
  /**
   * The memory limit of a container, in MiB: 128 to 65536, and at least 106 plus 1.6 for each kind. The size of Node's heap
   * follows from this limit. An operator with 13,000 objects used 182 MiB.
   *
   * @default 256; 384 with kinds that have conversion functions
   */
  readonly memoryMiB?: number;
  /**
   * Serves metrics over TLS, and only to clients that have the right to `get` the path `/metrics`. To give a client this right,
   * bind it to the ClusterRole `<name>-metrics-reader`. The operator gets the rights to create TokenReviews and
   * SubjectAccessReviews.
   *
   * @default false: metrics are served without encryption to every client that reaches the port
   */
  readonly metricsAuthentication?: boolean;
  /**
   * The events that the operator writes: `all`, `warnings`, or `off`. `off` also removes the right to write events. @default
   * 'all'
   */
  readonly events?: EventsSetting;
  /** The level of the log. @default 'info' */
  readonly logLevel?: LogLevel;
  /**
   * Records the passes of each pod in `/var/record/passes.jsonl`, for `cdk8s-reconcile replay`. The file is on a volume of 128
   * MiB, which is deleted with the pod. The record contains specs, status, annotations and responses of servers. Placeholders
   * replace the values in Secret objects.
   *
   * @default false
   */
  readonly recordPasses?: boolean;
  /**
   * The connections that the network policy allows.
   *
   * @default outgoing: to any address on ports 443 and 6443, and with `effects`, to its hosts and to the DNS server of the
   *   cluster. Incoming: from any address, to the metrics and to the conversion webhook
   */
  readonly network?: NetworkProps;
  /** Objects for the Prometheus Operator, kube-state-metrics and Grafana. @default none */
  readonly monitoring?: MonitoringProps;
  /**
   * Adds a ValidatingAdmissionPolicy for resources that run pods, directly or through other kinds of this bundle. To
   * create or change such a resource, a user must have the rights to create and delete pods in its namespace. Without the policy,
   * every such user gains these rights through the operator.
   *
   * `true` refuses the write of a user without these rights, and fails synth when no kind runs pods. `'warn'` allows the write
   * with a warning that `kubectl` shows. `false` adds no policy. For kinds that only may run pods, because they own third-party
   * kinds, the policy only warns.
   *
   * @default as `true`, but synth does not fail when no kind runs pods
   */
  readonly podGuard?: PodGuardMode;
  /**
   * Whether to add rights on the kinds to the ClusterRoles `view`, `edit` and `admin`. If authors of a kind gain rights through the
   * operator that `edit` does not have, all three get only the rights to read; `Operator.warnings` names such kinds.
   *
   * @default false
   */
  readonly userRoles?: boolean;
  /**
   * The source of the certificate of the conversion webhook. The option has no effect if no kind has conversion functions.
   *
   * @default the operator makes the certificate itself
   */
  readonly conversion?: ConversionProps;
  /** Adds sync waves for Argo CD, and a ConfigMap with health scripts for Argo CD. @default false */
  readonly argoCd?: boolean;
}

/** The props after the check, with the defaults of `name`, `namespace` and `memoryMiB`. Other absent props stay absent. */
export type CheckedProps = OperatorProps & Required<Pick<OperatorProps, 'name' | 'namespace' | 'memoryMiB'>>;
