import { fileURLToPath } from 'node:url';
import type { ControlPlaneClient } from './client.ts';
import { ControlPlaneError } from './error.ts';
import { type OperatorProcess, type OperatorProcessOptions, startOperator } from './operator-process.ts';

/** Namespace and ServiceAccount of the operator in the install bundle. */
export const OPERATOR = 'cdk8s-reconcile';

/** The lease of the operator of the install bundle. */
export const OPERATOR_LEASE = { namespace: OPERATOR, name: OPERATOR } as const;

/** The operator's user, as in RBAC and in the audit log. */
export const OPERATOR_USER = `system:serviceaccount:${OPERATOR}:${OPERATOR}`;

/** The committed install bundle. */
export const committedBundle = fileURLToPath(new URL('../../synth-out/operator.k8s.yaml', import.meta.url));

/** One committed resource of every kind. */
export const committedSamples = fileURLToPath(new URL('../../synth-out/samples.k8s.yaml', import.meta.url));

/**
 * Applies an install bundle as a GitOps tool would, and waits until the new APIs are served.
 *
 * @throws {ControlPlaneError} REQUEST_FAILED with the output of kubectl
 */
export const installBundle = async (plane: ControlPlaneClient, bundle: string = committedBundle): Promise<void> => {
  const steps = [
    ['apply', '-f', bundle],
    ['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all'],
  ];
  for (const args of steps) {
    const { code, stderr } = await plane.kubectl(args);
    if (code !== 0) throw new ControlPlaneError('REQUEST_FAILED', `Cannot kubectl ${args.join(' ')}: ${stderr}`);
  }
};

/** The variables that the Deployment of the bundle sets. */
const deployed = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR };

/**
 * Starts the operator with a token of its own ServiceAccount: it has the rights that the bundle grants, and no others.
 * @param options.kubeconfig @default one with a fresh token
 */
export const startInstalledOperator = async (
  plane: ControlPlaneClient,
  options: Partial<OperatorProcessOptions> = {},
): Promise<OperatorProcess> =>
  startOperator({
    ...options,
    env: { ...deployed, ...options.env },
    kubeconfig: options.kubeconfig ?? (await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR)),
  });
