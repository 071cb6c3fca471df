import { OPERATOR } from '#test/control-plane/install.ts';

/** The namespace of the demo in the current cluster. */
export const DEMO_NAMESPACE = `${OPERATOR}-demo`;

/** One request of the operator, as an audit log has it. */
export interface SentRequest {
  /** Kubernetes' word, such as `create`. */
  readonly verb: string;
  /** Plural, group and subresource: `podsets.app.example.com/status`. */
  readonly resource: string;
  /** HTTP status code of the answer. */
  readonly code: number;
}

/** A cluster that the demo runs on. */
export interface DemoCluster extends AsyncDisposable {
  /** Path of the kubeconfig of an administrator. */
  readonly kubeconfig: string;
  /** Whether pods run containers. Where they do not, what a kubelet would say can be said in its place. */
  readonly hasKubelets: boolean;
  /** Whether it goes away in the end, with all that is in it. */
  readonly isOurs: boolean;
  /** Every request of a user; `undefined` for a cluster without an audit log. */
  readonly requestsOf: (user: string) => Promise<readonly SentRequest[] | undefined>;
}

/** How `npm start` names the clusters that it can run on. */
export const clusterNames = ['embedded', 'real', 'current'] as const;

export type ClusterName = (typeof clusterNames)[number];

/** What the screen says of each. */
export const clusterTitles: Readonly<Record<ClusterName, string>> = {
  embedded: 'embedded cluster (API server, controllers, scheduler and kubelets, all in this process)',
  real: 'Kubernetes control plane (API server, controllers, scheduler, etcd, kwok)',
  current: 'the cluster of your kubeconfig',
};
