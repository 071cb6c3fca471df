import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { errorsOf } from './operator-logs.ts';
import { kubectl, leader, operatorPods, read, restrictedNamespace, startOperatorNode } from './operator-node.ts';

/** Runs in a container of the operator, in which there is nothing but Node.js. */
const inContainer = async (node: RealNode, script: string): Promise<unknown> => {
  const pod = await leader(node);
  const args = [
    'exec',
    `--namespace=${OPERATOR}`,
    pod,
    '--',
    '/nodejs/bin/node',
    '--print',
    `JSON.stringify(${script})`,
  ];
  return JSON.parse(await kubectl(node, args)) as unknown;
};

describeNode('the committed bundle on a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await startOperatorNode();
  });
  afterAll(async () => node?.stop());

  it('runs two replicas of the image with the digest, which never restarted', async () => {
    const namespace = await read<{ metadata: { labels: Record<string, string> } }>(node, ['namespace', OPERATOR]);
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const pods = await operatorPods(node);
    const states = pods.map(({ status }) => {
      const [container] = status?.containerStatuses ?? [];
      return {
        phase: status?.phase,
        ready: container?.ready,
        restarts: container?.restartCount,
        image: container?.imageID,
      };
    });
    const digest = expect.stringMatching(/^registry\.example\.com\/cdk8s-reconcile\/operator@sha256:[0-9a-f]{64}$/);
    const state = { phase: 'Running', ready: true, restarts: 0, image: digest };
    expect(states).toEqual([state, state]);
  });

  it('starts without a failed probe and without a line of level error', async () => {
    const failed = await read<{ items: readonly { message: string }[] }>(node, [
      'events',
      `--namespace=${OPERATOR}`,
      '--field-selector=reason=Unhealthy',
    ]);
    expect(failed.items.map(({ message }) => message)).toEqual([]);
    for (const { metadata } of await operatorPods(node)) expect(await errorsOf(node, metadata?.name ?? '')).toEqual([]);
  });

  it('runs without root, capabilities, new privileges and free system calls', async () => {
    const script = `Object.fromEntries(require('fs').readFileSync('/proc/self/status', 'utf8').split('\\n')
      .map((line) => line.split(/:?\\s+/).slice(0, 2)))`;
    expect(await inContainer(node, script)).toMatchObject({
      Uid: '65532',
      Gid: '65532',
      CapBnd: '0000000000000000',
      NoNewPrivs: '1',
      // 2: a filter.
      Seccomp: '2',
    });
  });

  it('cannot write files', async () => {
    const script = `['/x', '/app/x', '/tmp/x'].map((file) => {
      try { return require('fs').writeFileSync(file, ''); } catch (error) { return error.code; } })`;
    const codes = (await inContainer(node, script)) as readonly string[];
    expect(codes.filter((code) => code !== 'EROFS' && code !== 'ENOENT')).toEqual([]);
    expect(codes).toContain('EROFS');
  });

  it('has a token that is bound to its pod', async () => {
    const script = `JSON.parse(Buffer.from(require('fs')
      .readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8').split('.')[1], 'base64url'))`;
    const token = (await inContainer(node, script)) as Record<'kubernetes.io', { pod: { name: string } }>;
    expect(token['kubernetes.io'].pod.name).toBe(await leader(node));
  });

  it('gives its metrics through the Service', async () => {
    const path = `/api/v1/namespaces/${OPERATOR}/services/${OPERATOR}-metrics:metrics/proxy/metrics`;
    const { status, body } = await node.request<string>('GET', path);
    expect(status).toBe(200);
    expect(body.match(/^# TYPE cdk8s_reconcile_/gm)?.length).toBeGreaterThan(5);
  });

  it('makes pods of a PodSet that run in a restricted namespace', async () => {
    const namespace = await restrictedNamespace(node, 'smoke');
    const set = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      metadata: { name: 'set' },
      spec: { replicas: 2 },
    };
    await kubectl(node, ['create', `--namespace=${namespace}`, '--filename=-'], set);
    interface Set {
      readonly status?: { readonly readyReplicas?: number; readonly podNames?: readonly string[] };
    }
    const state = async (): Promise<Set> => read<Set>(node, ['podset', 'set', `--namespace=${namespace}`]);
    await waitFor('two pods that run', async () => (await state()).status?.readyReplicas === 2);
    const pod = (await state()).status?.podNames?.[0] ?? '';
    expect(await kubectl(node, ['exec', `--namespace=${namespace}`, pod, '--', 'id', '-u'])).toBe('65534\n');
  });
});
