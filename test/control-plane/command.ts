import { join } from 'node:path';
import { kubeconfigPath } from './users.ts';

/** The inputs of the command lines of the components. */
export interface CommandContext {
  /** The data folder; its path is in every command line, which identifies leftovers. */
  readonly folder: string;
  readonly etcdPort: number;
  readonly apiServerPort: number;
  readonly hasAudit: boolean;
  /** Whether data survives a power failure, at the cost of waiting for the disk. */
  readonly isDurable: boolean;
  /** Admission plugins that the API server runs besides its default ones. */
  readonly admissionPlugins: readonly string[];
}

/** The long-running programs, in the order in which they are started. */
export type ComponentName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

// Only the controllers that matter for operators. Not included: node life cycle (kwok's node always exists), volumes,
// certificates.
const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'cronjob-controller',
  'endpointslice-controller',
  'disruption-controller',
  'resourcequota-controller',
  'clusterrole-aggregation-controller',
  'ttl-after-finished-controller',
  'pod-garbage-collector-controller',
  'persistentvolumeclaim-protection-controller',
  'horizontal-pod-autoscaler-controller',
];

// Client-side throttling would make the real controllers slower than the code under test.
const unthrottled = ['--kube-api-qps=5000', '--kube-api-burst=5000'];

/** One replica each: no leader election, and no port that could collide with another plane. */
const alone = ['--leader-elect=false', '--secure-port=0'];

/** The arguments of one component. */
export function toArguments(component: ComponentName, context: CommandContext): readonly string[] {
  const { folder } = context;
  switch (component) {
    case 'etcd':
      return etcdArguments(context);
    case 'kube-apiserver':
      return apiServerArguments(context);
    case 'kube-controller-manager':
      return controllerManagerArguments(folder, controllers);
    case 'kube-scheduler':
      return schedulerArguments(folder);
    case 'kwok':
      return [
        `--kubeconfig=${kubeconfigPath(folder, 'kwok')}`,
        '--manage-all-nodes=true',
        `--config=${join(folder, 'kwok.yaml')}`,
      ];
  }
}

/** The arguments of etcd. */
export function etcdArguments({
  folder,
  etcdPort,
  isDurable,
}: Pick<CommandContext, 'folder' | 'etcdPort' | 'isDurable'>): readonly string[] {
  const url = `http://127.0.0.1:${etcdPort}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    '--log-level=warn',
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    // There are no peers: any free port.
    '--listen-peer-urls=http://127.0.0.1:0',
    ...(isDurable ? [] : ['--unsafe-no-fsync']),
  ];
}

/** The arguments of kube-controller-manager. */
export function controllerManagerArguments(folder: string, names: readonly string[]): readonly string[] {
  return [
    `--kubeconfig=${kubeconfigPath(folder, 'controller-manager')}`,
    ...alone,
    ...unthrottled,
    `--service-account-private-key-file=${join(folder, 'sa.key')}`,
    `--root-ca-file=${join(folder, 'apiserver.crt')}`,
    '--concurrent-gc-syncs=20',
    // With `true`, every controller would have a ServiceAccount of its own, and the audit log twenty more users.
    '--use-service-account-credentials=false',
    `--controllers=${names.join(',')}`,
  ];
}

/** The arguments of kube-scheduler. */
export function schedulerArguments(folder: string): readonly string[] {
  return [`--kubeconfig=${kubeconfigPath(folder, 'scheduler')}`, ...alone, ...unthrottled];
}

/** The arguments of the API server, without its address, authorization and admission. */
export function plainApiServerArguments({
  folder,
  etcdPort,
  apiServerPort,
  hasAudit,
}: Pick<CommandContext, 'folder' | 'etcdPort' | 'apiServerPort' | 'hasAudit'>): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${apiServerPort}`,
    // The API server writes a self-signed apiserver.crt there, which serves as the clients' CA: no certificate tools
    // are needed.
    `--cert-dir=${folder}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    ...(hasAudit ? auditArguments(folder) : []),
  ];
}

function apiServerArguments(context: CommandContext): readonly string[] {
  const { admissionPlugins } = context;
  return [
    ...plainApiServerArguments(context),
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    '--authorization-mode=RBAC',
    // The plugin taints every new node as not ready, and only the node life-cycle controller, which does not run,
    // removes the taint: every pod would stay Pending.
    '--disable-admission-plugins=TaintNodesByCondition',
    ...(admissionPlugins.length > 0 ? [`--enable-admission-plugins=${admissionPlugins.join(',')}`] : []),
  ];
}

function auditArguments(folder: string): readonly string[] {
  return [
    `--audit-policy-file=${join(folder, 'audit-policy.json')}`,
    `--audit-log-path=${join(folder, 'audit.log')}`,
    // In MB. The default of 100 would move older entries out of the file that is read.
    '--audit-log-maxsize=100000',
  ];
}
