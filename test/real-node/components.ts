import { join } from 'node:path';
import {
  controllerManagerArguments,
  etcdArguments,
  plainApiServerArguments,
  schedulerArguments,
} from '#test/control-plane/command.ts';
import { kubeconfigPath } from '#test/control-plane/users.ts';
import { SANDBOX_IMAGE } from './images/base-images.ts';
import { NODE_ADDRESS, POD_NETWORK } from './place/setup.ts';
import type { NodePrograms } from './programs/programs.ts';

/** The long-running programs of a node, in the order in which they are started. */
export const nodeComponents = [
  'network',
  'etcd',
  'kube-apiserver',
  'containerd',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const;

/** A long-running program of a node; `network` is the registry and the relay. */
export type NodeComponent = (typeof nodeComponents)[number];

/** The name of the only node. */
export const NODE_NAME = 'node-0';

/** The user of the kubelet, with the rights of a node. */
export const KUBELET_USER = `system:node:${NODE_NAME}`;

/** The API server inside the network of the node. */
export const INNER_API_SERVER = `${NODE_ADDRESS}:6443`;

const REGISTRY_PORT = 5000;
const RUNTIME = '/run/containerd/containerd.sock';
const PLANE = { etcdPort: 2379, apiServerPort: 6443, hasAudit: true, isDurable: false } as const;

/** The inputs of the command lines. */
export interface NodeContext {
  readonly folder: string;
  readonly programs: NodePrograms;
}

const apiServer = (folder: string): readonly string[] => [
  ...plainApiServerArguments({ ...PLANE, folder }),
  // All addresses: with this setting the certificate is also valid for localhost, where the relay listens outside of the node.
  '--bind-address=0.0.0.0',
  `--advertise-address=${NODE_ADDRESS}`,
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  `--kubelet-client-certificate=${join(folder, 'kubelet-client.crt')}`,
  `--kubelet-client-key=${join(folder, 'kubelet-client.key')}`,
  '--kubelet-preferred-address-types=InternalIP',
];

/** The words of a component: its program and arguments. */
export const commandOf = (component: NodeComponent, { folder, programs }: NodeContext): readonly string[] => {
  const { kubernetes } = programs;
  switch (component) {
    case 'network':
      return [process.execPath, join(import.meta.dirname, 'network/main.ts'), folder, String(REGISTRY_PORT)];
    case 'etcd':
      return [kubernetes.etcd, ...etcdArguments({ ...PLANE, folder })];
    case 'kube-apiserver':
      return [kubernetes['kube-apiserver'], ...apiServer(folder)];
    case 'containerd':
      return [join(programs.folder, 'containerd'), `--config=${join(folder, 'containerd.toml')}`];
    case 'kube-controller-manager':
      // Without the controller that signs certificates: it needs an authority, which this node lacks.
      return [
        kubernetes['kube-controller-manager'],
        ...controllerManagerArguments(folder, ['*', '-certificatesigningrequest-signing-controller']),
      ];
    case 'kube-scheduler':
      return [kubernetes['kube-scheduler'], ...schedulerArguments(folder)];
    case 'kubelet':
      return [
        kubernetes.kubelet,
        `--config=${join(folder, 'kubelet.json')}`,
        `--kubeconfig=${kubeconfigPath(folder, KUBELET_USER)}`,
        `--root-dir=${join(folder, 'kubelet')}`,
        `--cert-dir=${join(folder, 'kubelet-certificates')}`,
        `--hostname-override=${NODE_NAME}`,
        `--node-ip=${NODE_ADDRESS}`,
        '-v=2',
      ];
    case 'kube-proxy':
      return [...withLibraries(programs), kubernetes['kube-proxy'], `--config=${join(folder, 'kube-proxy.json')}`];
  }
};

/** nft of the unpacked packages needs their libraries. */
const withLibraries = ({ debian }: NodePrograms): readonly string[] => [
  'env',
  `LD_LIBRARY_PATH=${join(debian, 'usr/lib/x86_64-linux-gnu')}`,
];

const kubeletConfiguration = (folder: string): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  failCgroupV1: false,
  cgroupDriver: 'cgroupfs',
  containerRuntimeEndpoint: `unix://${RUNTIME}`,
  volumePluginDir: join(folder, 'volume-plugins'),
  resolvConf: join(folder, 'resolv.conf'),
  clusterDNS: ['10.0.0.10'],
  clusterDomain: 'cluster.local',
  failSwapOn: false,
  // Only a process with CAP_SYS_RESOURCE can lower its score.
  oomScoreAdj: 0,
  serializeImagePulls: false,
  makeIPTablesUtilChains: false,
  nodeStatusUpdateFrequency: '5s',
  evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '10%', 'imagefs.available': '1%' },
  // The default is five minutes, in which the node takes no pods.
  evictionPressureTransitionPeriod: '5s',
  imageGCHighThresholdPercent: 99,
  imageGCLowThresholdPercent: 98,
  address: NODE_ADDRESS,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: false },
    x509: { clientCAFile: join(folder, 'kubelet-client.crt') },
  },
  authorization: { mode: 'AlwaysAllow' },
});

const proxyConfiguration = (folder: string): object => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'nftables',
  hostnameOverride: NODE_NAME,
  clusterCIDR: POD_NETWORK,
  clientConnection: { kubeconfig: kubeconfigPath(folder, 'kube-proxy') },
  // Not set, because these are settings of the whole machine.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
});

const podNetwork = {
  cniVersion: '1.0.0',
  name: 'real-node',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: '/run/cni-addresses',
        ranges: [[{ subnet: POD_NETWORK }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
} as const;

const containerdConfiguration = ({ folder, programs }: NodeContext): string => `version = 3
root = '${folder}/containerd'
state = '/run/containerd'
[grpc]
  address = '${RUNTIME}'
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = '${SANDBOX_IMAGE}'
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = '${folder}/registries'
[plugins.'io.containerd.cri.v1.runtime']
  # Only a process with CAP_SYS_RESOURCE can lower a score.
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['${programs.folder}']
    conf_dir = '${folder}/networks'
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = 'io.containerd.runc.v2'
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = '${programs.folder}/runc'
      SystemdCgroup = false
`;

const registries = `server = "http://127.0.0.1:${REGISTRY_PORT}"
[host."http://127.0.0.1:${REGISTRY_PORT}"]
  capabilities = ["pull", "resolve"]
`;

/** The configuration files of the components, by path in the folder of the node. */
export const configurationFiles = (context: NodeContext): Readonly<Record<string, string>> => ({
  'kubelet.json': JSON.stringify(kubeletConfiguration(context.folder)),
  'kube-proxy.json': JSON.stringify(proxyConfiguration(context.folder)),
  'containerd.toml': containerdConfiguration(context),
  'registries/_default/hosts.toml': registries,
  'networks/10-bridge.conflist': JSON.stringify(podNetwork),
  'resolv.conf': 'nameserver 10.0.0.10\n',
});
