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

/** What an operator runs, and under which name. Numbers of {@link Tuning} become environment variables of its pods. */
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
   * The only namespaces that it works in, and has rights in: DNS labels. They must exist. What is in no namespace is beyond
   * this, and its rights are given cluster-wide.
   *
   * @default all
   */
  readonly namespaces?: readonly string[];
  /**
   * Lets kinds ask for HTTP requests: to these hosts alone (`host`, `host:port`, `*.domain`; at least one), with credentials from
   * secrets of the resource's namespace, which the operator may read one by one. Metric hosts are asked `GET <path>/api/v1/query` and
   * nothing else; webhook hosts get any request that a resource asks for.
   *
   * @default no requests, and no right on secrets
   */
  readonly effects?: EffectHostLists & {
    /**
     * The Prometheus-compatible server that metrics of rollouts ask when they name none, such as
     * `http://prometheus.monitoring.svc:9090`; its host must be a metric host, and a kind must ask it (`operatorSettings`). The pods get
     * it as `PROMETHEUS_URL`.
     *
     * @default none: every metric has to name its server
     */
    readonly prometheusUrl?: string;
    /**
     * Certificates that may vouch for these hosts beside well-known authorities, from the operator's namespace. They must be there before
     * the pods start; Node reads them at its start, so restart the Deployment when they change. Metrics and webhooks may name others,
     * of their own namespace.
     *
     * @default well-known authorities alone
     */
    readonly certificateAuthority?: TrustProps;
  };
  /**
   * Roles that the kinds may hand out although the operator lacks their rights: needed by kinds that own RoleBindings,
   * ClusterRoleBindings, Roles or ClusterRoles.
   *
   * @default none, and such kinds are refused
   * @example
   * grants: { bind: ['ClusterRole/view'] }
   */
  readonly grants?: GrantProps;
  /**
   * What users have now. Changes of the CRDs that break stored objects, manifests or programs are refused; what is added
   * passes.
   *
   * @default nothing was released, nothing is compared
   */
  readonly released?: ReleasedProps;
  /** What a container may use, in MiB: 128 to 65536. Node's heap is sized after it. @default 256; 384 with kinds whose versions are converted by functions. 13,000 objects took 182 */
  readonly memoryMiB?: number;
  /**
   * Shows metrics by TLS, to those alone that the API server lets `get` the path `/metrics`: bind them to the ClusterRole
   * `<name>-metrics-reader`. The operator gets the rights to create TokenReviews and SubjectAccessReviews.
   *
   * @default false: metrics are shown in clear to all that reach the port
   */
  readonly metricsAuthentication?: boolean;
  /** Which events are written: `all`, `warnings`, or `off`, which also takes the right to write them. @default 'all' */
  readonly events?: EventsSetting;
  /** How much the process logs. @default 'info' */
  readonly logLevel?: LogLevel;
  /**
   * Records the passes of each pod in `/var/record/passes.jsonl`, for `cdk8s-reconcile replay`: on a volume of the pod, which holds 128 MiB and
   * goes with it. Specs, status, annotations and answers of servers stand in it; values of Secrets do not.
   *
   * @default false
   */
  readonly recordPasses?: boolean;
  /** Where the operator may go. @default to any address on 443 and 6443, and to the hosts of effects */
  readonly network?: NetworkProps;
  /** Objects for the Prometheus Operator, kube-state-metrics and Grafana. @default none */
  readonly monitoring?: MonitoringProps;
  /**
   * A ValidatingAdmissionPolicy for kinds whose resources become pods, directly or through other kinds of this bundle: their authors
   * need the rights to create and delete pods in the namespace. Without it the operator lends these rights to every author.
   *
   * `true` refuses, and fails synth when no kind runs pods; `'warn'` lets the write pass with a warning that `kubectl` shows;
   * `false` asks nothing. Kinds that own third-party kinds may run pods: their authors get a warning at most.
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

/** The same with what was left out; still without `namespaces` for all. */
export type CheckedProps = OperatorProps & Required<Pick<OperatorProps, 'name' | 'namespace' | 'memoryMiB'>>;
