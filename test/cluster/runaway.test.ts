import { fileURLToPath } from 'node:url';
import { App, Chart, Yaml } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { leaseHolder } from '#test/control-plane/lease-holder.ts';
import { type LogLine, type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { looper } from './runaway-operator.ts';

const OPERATOR = 'looper-operator';
const entryPoint = fileURLToPath(new URL('./runaway-operator.ts', import.meta.url));

let plane: ControlPlane;
let namespace: string;
let kubeconfig: string;

const apply = async (input: string): Promise<void> => {
  const { code, stderr } = await plane.kubectl(['apply', '-f', '-'], { input });
  expect(`${code} ${stderr}`).toBe('0 ');
};

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  const chart = new Chart(new App(), 'chart');
  new Operator(chart, 'operator', { kinds: [looper], image: 'looper:1', name: OPERATOR });
  await apply(Yaml.stringify(...(chart.toJson() as object[])));
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  namespace = await plane.createNamespace('runaway');
  kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
});

afterAll(async () => {
  await plane?.stop();
});

const start = (): OperatorProcess =>
  spawnOperator({ kubeconfig, entryPoint, env: { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR } });

const path = (name = ''): string => `/apis/demo.example.com/v1/namespaces/${namespace}/loopers${name && `/${name}`}`;

const create = async (name: string, spec: object): Promise<void> => {
  await plane.request('POST', path(), { apiVersion: 'demo.example.com/v1', kind: 'Looper', metadata: { name }, spec });
};

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Looper {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

const conditionOf = async (name: string, type: string): Promise<Condition | undefined> =>
  (await plane.request<Looper>('GET', path(name))).body.status?.conditions?.find(
    (condition) => condition.type === type,
  );

const isTrue = async (name: string, type: string): Promise<boolean> =>
  (await conditionOf(name, type))?.status === 'True';

const said = ({ log }: OperatorProcess, part: string): LogLine | undefined => log.find(({ msg }) => msg.includes(part));

describe('a function that does not return', () => {
  it('ends the process once, names the resource in the log and in its status, and hurts no other resource after that', async () => {
    const good = ['a', 'b', 'c'];
    for (const name of good) await create(name, { loops: false });
    await create('bad', { loops: true });
    const first = start();
    expect(await first.exited).toBeNull();
    expect(said(first, 'does not return')).toMatchObject({
      level: 'error',
      kind: 'Looper',
      key: `${namespace}/bad`,
      reason: 'DesiredHung',
    });
    expect(await conditionOf('bad', 'Stalled')).toMatchObject({ status: 'True', reason: 'DesiredHung' });
    // The lease was released: the next operator does not wait for its expiry.
    expect(await leaseHolder(plane, { namespace: OPERATOR, name: OPERATOR })).toBe('');
    await using second = start();
    for (const name of good) await waitFor(`${name} to be ready`, async () => isTrue(name, 'Ready'));
    await create('late', { loops: false });
    await waitFor('late to be ready', async () => isTrue('late', 'Ready'));
    expect(await isTrue('bad', 'Stalled')).toBe(true);
    await plane.request(
      'PATCH',
      path('bad'),
      { spec: { loops: false } },
      { contentType: 'application/merge-patch+json' },
    );
    await waitFor('bad to be well', async () => isTrue('bad', 'Ready'));
    expect(await second.stop()).toBe(0);
  });

  it('is interrupted when it hangs for another resource under a running operator, which starts again once', async () => {
    const first = start();
    await waitFor('a loop', async () => said(first, 'loop started') !== undefined);
    await create('later-bad', { loops: true });
    expect(await first.exited).toBeNull();
    await using second = start();
    await create('after', { loops: false });
    await waitFor('after to be ready', async () => isTrue('after', 'Ready'));
    expect(await second.stop()).toBe(0);
    await plane.request('DELETE', path('later-bad'));
  });
});

describe('an uncaught error', () => {
  it('is logged and ends the process with an exit code', async () => {
    const operator = start();
    await waitFor('a loop', async () => said(operator, 'loop started') !== undefined);
    await create('rejecting', { loops: false, rejects: true });
    expect(await operator.exited).toBe(1);
    expect(said(operator, 'uncaught error')).toMatchObject({
      level: 'error',
      error: { message: 'nobody catches this' },
    });
  });
});
