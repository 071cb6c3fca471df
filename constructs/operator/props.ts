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

/** Levels of the log, from all to nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The kinds of an operator, its name and its settings. Numbers of {@link Tuning} become environment variables of its pods. */
export interface OperatorProps extends Tuning {
  /** Definitions of the kinds that it reconciles; at least one. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The container image, best with the digest that `cdk8s-reconcile image` prints: `registry/name@sha256:…`. */
  readonly image: string;
  /** Name of the Deployment, the ServiceAccount, the Lease and the cluster-wide objects: a DNS label. @default 'reconcile-operator' */
  readonly name?: string;
  /** The namespace that is made for it: a DNS label. @default the name */
  readonly namespace?: string;
  /**
   * The only namespaces that the operator works in and has rights in: DNS labels. They must exist. Rights for cluster-scoped
   * objects are cluster-wide regardless.
   *
   * @default all
   */
  readonly namespaces?: readonly string[];
  /**
   * Allows HTTP requests of kinds to these hosts (`host`, `host:port`, `*.domain`; at least one), with credentials from secrets
   * in the namespace of the resource; the operator gets the right to read single secrets. Metric hosts only receive `GET
   * <path>/api/v1/query`; webhook hosts receive any request that a resource specifies.
   *
   * @default no requests, and no right on secrets
   */
  readonly effects?: EffectHostLists & {
    /**
     * The Prometheus-compatible server for metrics of rollouts that name no server, such as
     * `http://prometheus.monitoring.svc:9090`. Its host must be a metric host, and a kind must use it (`operatorSettings`). The
     * pods get it as `PROMETHEUS_URL`.
     *
     * @default none: every metric has to name its server
     */
    readonly prometheusUrl?: string;
    /**
     * Certificate authorities for these hosts, in addition to the well-known ones, from the operator's namespace. They must
     * exist before the pods start. Node reads them once at its start, so restart the Deployment after a change. Metrics and
     * webhooks can name authorities of their own namespace as well.
     *
     * @default well-known authorities alone
     */
    readonly certificateAuthority?: TrustProps;
  };
  /**
   * Roles that the kinds can grant although the operator lacks their rights: for kinds that own RoleBindings,
   * ClusterRoleBindings, Roles or ClusterRoles.
   *
   * @default none, and such kinds are refused
   * @example
   * grants: { bind: ['ClusterRole/view'] }
   */
  readonly grants?: GrantProps;
  /**
   * The definitions of the last release. Changes of the CRDs that break stored objects, manifests or programs are refused;
   * additions pass.
   *
   * @default nothing was released, nothing is compared
   */
  readonly released?: ReleasedProps;
  /**
   * The memory limit of a container, in MiB: 128 to 65536, and at least 106 and 1.6 for each kind. The size of Node's heap follows from it. @default 256; 384 with
   * kinds that have conversion functions. 13,000 objects took 182
   */
  readonly memoryMiB?: number;
  /**
   * Serves metrics over TLS, and only to clients that the API server lets `get` the path `/metrics`: bind them to the
   * ClusterRole `<name>-metrics-reader`. The operator gets the rights to create TokenReviews and SubjectAccessReviews.
   *
   * @default false: metrics are shown in clear to all that reach the port
   */
  readonly metricsAuthentication?: boolean;
  /** Which events are written: `all`, `warnings`, or `off`, which also takes the right to write them. @default 'all' */
  readonly events?: EventsSetting;
  /** How much the process logs. @default 'info' */
  readonly logLevel?: LogLevel;
  /**
   * Records the passes of each pod in `/var/record/passes.jsonl`, for `cdk8s-reconcile replay`, on a volume of 128 MiB that is
   * deleted with the pod. The record contains specs, status, annotations and responses of servers; it contains no values of
   * Secrets.
   *
   * @default false
   */
  readonly recordPasses?: boolean;
  /** Where the operator may go. @default to any address on 443 and 6443, and to the hosts of effects */
  readonly network?: NetworkProps;
  /** Objects for the Prometheus Operator, kube-state-metrics and Grafana. @default none */
  readonly monitoring?: MonitoringProps;
  /**
   * Adds a ValidatingAdmissionPolicy: a user that creates or changes a resource that runs pods, directly or through other kinds
   * of this bundle, must have the rights to create and delete pods in its namespace. Without the policy, every such user gains
   * these rights through the operator.
   *
   * `true` denies the write of a user without these rights, and fails synth when no kind runs pods. `'warn'` allows the write
   * with a warning that `kubectl` shows. `false` adds no policy. For kinds that own third-party kinds, which may run pods, there
   * is only a warning.
   *
   * @default refuses where a kind runs pods
   */
  readonly podGuard?: PodGuardMode;
  /** Adds the kinds to the roles view, edit and admin of the cluster. @default false */
  readonly userRoles?: boolean;
  /** How the conversion webhook gets its certificate; kinds whose versions need no functions have none. @default a certificate of its own */
  readonly conversion?: ConversionProps;
  /** Sync waves for Argo CD, and its health scripts in a ConfigMap. @default false */
  readonly argoCd?: boolean;
}

/** The props with all defaults; `namespaces` stays absent for all. */
export type CheckedProps = OperatorProps & Required<Pick<OperatorProps, 'name' | 'namespace' | 'memoryMiB'>>;
