import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { ConversionProps } from './conversion.ts';
import type { NetworkProps } from './network-policy.ts';
import type { ReleasedProps } from './released.ts';

/** Levels of the log, from all to nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What an operator runs, and under which name. */
export interface OperatorProps {
  /** Definitions of the kinds that it reconciles; at least one. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The container image; prefer a digest. */
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
   * Lets kinds ask for HTTP requests: to these hosts alone (`host`, `host:port`, `*.domain`), with credentials from secrets of the
   * resource's namespace, which the operator may read one by one.
   *
   * @default no requests, and no right on secrets
   */
  readonly effects?: {
    readonly allowedHosts: readonly string[];
    /**
     * The Prometheus-compatible server that metrics of rollouts ask when they name none, such as
     * `http://prometheus.monitoring.svc:9090`; its host must be allowed, and a kind must ask it (`operatorSettings`). The pods get
     * it as `PROMETHEUS_URL`.
     *
     * @default none: every metric has to name its server
     */
    readonly prometheusUrl?: string;
  };
  /**
   * What users have now. Changes of the CRDs that break stored objects, manifests or programs are refused; what is added
   * passes.
   *
   * @default nothing was released, nothing is compared
   */
  readonly released?: ReleasedProps;
  /** What a container may use, in MiB: 128 to 65536. Node's heap is sized after it. @default 256; 13,000 objects took 182 with this default */
  readonly memoryMiB?: number;
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
  /** Objects for the Prometheus Operator and Grafana. @default none */
  readonly monitoring?: MonitoringProps;
  /**
   * Demands that whoever writes a resource that runs pods may create pods in its namespace (a ValidatingAdmissionPolicy).
   *
   * @default false
   */
  readonly podGuard?: boolean;
  /** Adds the kinds to the roles view, edit and admin of the cluster. @default false */
  readonly userRoles?: boolean;
  /** How the conversion webhook gets its certificate; kinds whose versions need no functions have none. @default a certificate of its own */
  readonly conversion?: ConversionProps;
  /** Sync waves for Argo CD, and its health scripts in a ConfigMap. @default false */
  readonly argoCd?: boolean;
}

/** What is made for those who watch the operator. */
export interface MonitoringProps {
  /** A ServiceMonitor of monitoring.coreos.com. @default false */
  readonly serviceMonitor?: boolean;
  /** Alerts in a PrometheusRule of monitoring.coreos.com; they go by the job name that the ServiceMonitor gives. @default false */
  readonly alerts?: boolean;
  /** A ConfigMap that Grafana's sidecar loads (label `grafana_dashboard`). @default false */
  readonly dashboard?: boolean;
}

/** The same with what was left out; still without `namespaces` for all. */
export type CheckedProps = OperatorProps & Required<Pick<OperatorProps, 'name' | 'namespace' | 'memoryMiB'>>;
