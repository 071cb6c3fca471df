import { App, Chart, Yaml } from 'cdk8s';
import { expect } from 'vitest';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { run } from '#lib/runtime.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';

/** An operator of a test's own kinds, in this process and under its own rights. */
export interface OwnOperator {
  /** Requests of the operator that were forbidden; there should be none. */
  forbidden(): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

/** Applies objects as a user would. */
export const applyObjects = async (plane: ControlPlane, ...objects: readonly object[]): Promise<void> => {
  const { code, stderr } = await plane.kubectl(['apply', '-f', '-'], { input: Yaml.stringify(...objects) });
  expect(`${code} ${stderr}`).toBe('0 ');
};

/** Waits until the status of a custom resource has the members that are expected, and returns it. */
export const statusWith = async (plane: ControlPlane, path: string, expected: object): Promise<object> => {
  let status: object = {};
  await waitFor(`${path} to say ${JSON.stringify(expected)}`, async () => {
    ({ status = {} } = (await plane.request<{ status?: object }>('GET', path)).body);
    return Object.entries(expected).every(([name, value]) => (status as Record<string, unknown>)[name] === value);
  });
  return status;
};

/** The props of an operator that its process also needs. */
type ProcessProps = Pick<OperatorProps, 'name' | 'namespaces'>;

/** Installs the bundle of some kinds, and runs their loop. */
export const startOwnOperator = async (
  plane: ControlPlane,
  kinds: readonly AnyKindDefinition[],
  props: Partial<OperatorProps> = {},
): Promise<OwnOperator> => {
  const { name = 'own-operator', namespaces } = props;
  const chart = new Chart(new App(), 'chart');
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds, image: 'own:1', ...props, name });
  await applyObjects(plane, ...(chart.toJson() as object[]));
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  return runOwnOperator(plane, kinds, { name, ...(namespaces && { namespaces }) });
};

/** Runs the loop of an operator whose bundle is installed. */
export const runOwnOperator = async (
  plane: ControlPlane,
  kinds: readonly AnyKindDefinition[],
  { name = 'own-operator', namespaces }: ProcessProps,
): Promise<OwnOperator> => {
  const env = {
    KUBECONFIG: await plane.serviceAccountKubeconfig(name, name),
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    LEADER_ELECTION: 'false',
    ...(namespaces && { WATCH_NAMESPACE: namespaces.join(',') }),
  };
  const ending = new AbortController();
  const running = run({ kinds, env, signal: ending.signal });
  return {
    forbidden: async () =>
      (await plane.auditEntries({ user: `system:serviceaccount:${name}:${name}` })).filter(({ code }) => code === 403),
    stop: async () => {
      ending.abort();
      await running;
    },
  };
};
