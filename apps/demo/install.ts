import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { type OperatorProcess, startOperator } from '#test/control-plane/operator-process.ts';

/** Namespace and ServiceAccount of the operator in the install bundle. */
export const OPERATOR = 'cdk8s-reconcile';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs `cdk8s synth` into a folder of its own, so that the committed one stays as it is. @returns the bundle's path */
export const synthesize = async (): Promise<{ readonly bundle: string; readonly remove: () => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'cdk8s-reconcile-synth-'));
  const cli = join(root, 'node_modules', 'cdk8s-cli', 'bin', 'cdk8s');
  const path = [join(root, 'node_modules', '.bin'), process.env['PATH']].join(':');
  const env = { ...process.env, PATH: path, CDK8S_CHECK_UPGRADE: 'false' };
  await promisify(execFile)(process.execPath, [cli, 'synth', '--output', folder], { cwd: root, env });
  return { bundle: join(folder, 'operator.k8s.yaml'), remove: () => rm(folder, { recursive: true, force: true }) };
};

/** Applies the bundle as a GitOps tool would, and waits until the new API is served. */
export const install = async (plane: ControlPlane, bundle: string): Promise<void> => {
  const steps = [
    ['apply', '-f', bundle],
    ['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all'],
  ];
  for (const args of steps) {
    const { code, stderr } = await plane.kubectl(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${stderr}`);
  }
};

/** Starts the operator under a token of its own ServiceAccount: it may do what the bundle grants, and nothing else. */
export const startInstalledOperator = async (plane: ControlPlane): Promise<OperatorProcess> =>
  startOperator({ kubeconfig: await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR) });
