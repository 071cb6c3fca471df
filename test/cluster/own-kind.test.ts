import { App, Chart, Yaml } from 'cdk8s';
import { CustomResource, Operator } from 'cdk8s-reconcile/constructs';
import { run } from 'cdk8s-reconcile/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { runner } from '#test/examples/runner.ts';

class Runner extends CustomResource(runner) {}

const OPERATOR = 'runner-operator';
const USER = `system:serviceaccount:${OPERATOR}:${OPERATOR}`;

let plane: ControlPlane;
const ending = new AbortController();
let running: Promise<void>;

/** The manifests of a chart, as `cdk8s synth` writes them. */
const manifests = (fill: (chart: Chart) => void, namespace?: string): string => {
  const chart = new Chart(new App(), 'chart', namespace === undefined ? {} : { namespace });
  fill(chart);
  return Yaml.stringify(...(chart.toJson() as object[]));
};

const apply = async (input: string): Promise<void> => {
  const { code, stderr } = await plane.kubectl(['apply', '-f', '-'], { input });
  expect(`${code} ${stderr}`).toBe('0 ');
};

// The kind is a user's, and so is the package: only its public doors are used.
beforeAll(async () => {
  plane = await startControlPlane();
  await apply(
    manifests(
      (chart) => new Operator(chart, 'operator', { kinds: [runner], image: 'runner:1', name: OPERATOR }),
      'elsewhere',
    ),
  );
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  const env = {
    KUBECONFIG: await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR),
    POD_NAMESPACE: OPERATOR,
    LEASE_NAME: OPERATOR,
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  running = run({ kinds: [runner], env, signal: ending.signal });
});

afterAll(async () => {
  ending.abort();
  await running;
  await plane?.stop();
});

describe('a kind of a user', () => {
  it('goes from its definition to a running pod, under its own rights', async () => {
    const namespace = await plane.createNamespace('own-kind');
    const props = { metadata: { name: 'hello' }, spec: { image: 'busybox', args: ['sleep', '60'] } };
    await apply(manifests((chart) => new Runner(chart, 'hello', props), namespace));
    const path = `/apis/demo.example.com/v1alpha1/namespaces/${namespace}/runners/hello`;
    type Body = { status?: { conditions: { type: string; status: string }[] } };
    const ready = async (): Promise<boolean> => {
      const { status } = (await plane.request<Body>('GET', path)).body;
      return status?.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
    };
    await waitFor('the runner to be ready', ready);
    const pods = await plane.kubectl([
      '-n',
      namespace,
      'get',
      'pods',
      '-o',
      'jsonpath={.items[*].spec.containers[0].args}',
    ]);
    expect(pods.stdout).toBe('["sleep","60"]');
    const forbidden = (await plane.auditEntries({ user: USER })).filter(({ code }) => code === 403);
    expect(forbidden).toEqual([]);
  });

  it('installs cluster-scoped objects without the namespace of the chart', async () => {
    const yaml = manifests((chart) => new Operator(chart, 'op', { kinds: [runner], image: 'runner:1' }), 'elsewhere');
    expect(yaml).not.toContain('namespace: elsewhere');
  });
});
