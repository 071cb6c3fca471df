import type { Pod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '#test/control-plane/poll.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { kubectl, read, restrictedNamespace, startOperatorNode } from './operator-node.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Immortal {
  readonly status?: {
    readonly phase: string;
    readonly startTimes: number;
    readonly lastExit?: { readonly reason: string; readonly exitCode?: number };
    readonly conditions: readonly Condition[];
  };
}

const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const podSecurity = { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } };

/** An ImmortalContainer whose pods fit into a restricted namespace. */
const immortal = (name: string, container: object, spec: object = {}, user: object = podSecurity): object => ({
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  metadata: { name },
  spec: {
    image: 'busybox',
    restartPolicy: 'Never',
    backoff: { initialSeconds: 2, maxSeconds: 4 },
    ...spec,
    template: {
      spec: {
        terminationGracePeriodSeconds: 1,
        securityContext: user,
        containers: [{ name: 'acontainer', image: 'busybox', securityContext, ...container }],
      },
    },
  },
});

/** Containers that can never run, under a restart policy that tries again for ever. */
const CANNOT_RUN = [
  ['CreateContainerConfigError', {}],
  ['RunContainerError', { command: ['/missing'] }],
  ['CrashLoopBackOff', { command: ['false'] }],
] as const;

const isReady = ({ status }: Pod): boolean => status?.containerStatuses?.[0]?.ready === true;

describeNode('real containers', () => {
  let node: RealNode;
  let namespace: string;
  beforeAll(async () => {
    node = await startOperatorNode();
    namespace = await restrictedNamespace(node, 'containers');
  });
  afterAll(async () => node?.stop());

  const create = (object: object): Promise<string> =>
    kubectl(node, ['create', `--namespace=${namespace}`, '--filename=-'], object);
  const statusOf = async (name: string): Promise<Immortal['status']> =>
    (await read<Immortal>(node, ['immortalcontainer', name, `--namespace=${namespace}`])).status;
  const readinessOf = async (name: string): Promise<Condition | undefined> =>
    (await statusOf(name))?.conditions.find(({ type }) => type === 'Ready');
  const pods = async (selector: string): Promise<readonly Pod[]> =>
    (await read<{ items: readonly Pod[] }>(node, ['pods', `--namespace=${namespace}`, `--selector=${selector}`])).items;

  it('start again after they exit; the status has the exit code', async () => {
    await create(immortal('exits', { command: ['sh', '-c', 'echo hello; sleep 2; exit 3'] }));
    await waitFor('a second start', async () => ((await statusOf('exits'))?.startTimes ?? 0) >= 2);
    expect((await statusOf('exits'))?.lastExit).toMatchObject({ exitCode: 3 });
  });

  it('start again after the kernel kills them for their memory; the status has the reason', async () => {
    const command = ['sh', '-c', 'sleep 1; x=x; while :; do x=$x$x; done'];
    await create(immortal('hungry', { command, resources: { limits: { memory: '32Mi' } } }));
    await waitFor('a second start', async () => ((await statusOf('hungry'))?.startTimes ?? 0) >= 2);
    expect((await statusOf('hungry'))?.lastExit).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
  });

  it('are named in the status when their image cannot be pulled', async () => {
    await create(immortal('unknown', {}, { image: 'registry.example.com/unknown:1' }));
    await waitFor('a failed pull', async () => (await readinessOf('unknown'))?.reason === 'ImagePullFailed');
    expect(await readinessOf('unknown')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('unknown:1'),
    });
  });

  it.for(CANNOT_RUN)('are named in the status as %s', async ([reason, container]) => {
    const name = reason.toLowerCase();
    // The image runs as root, which `runAsNonRoot` forbids unless `runAsUser` names another user.
    const user = reason === 'CreateContainerConfigError' ? { ...podSecurity, runAsUser: undefined } : podSecurity;
    await create(immortal(name, container, { restartPolicy: 'Always' }, user));
    await waitFor(`Ready with the reason ${reason}`, async () => (await readinessOf(name))?.reason === reason);
    const failure = (await statusOf(name))?.conditions.find(({ type }) => type === 'ContainerFailure');
    expect(failure).toMatchObject({ status: 'True', reason, message: expect.stringContaining('container acontainer') });
  });

  it('get another image in place: the same pod, one restart', async () => {
    const readinessProbe = { httpGet: { path: '/', port: 80 }, periodSeconds: 1 };
    await create(immortal('inplace', { readinessProbe }, { image: 'nginx:1.28', updatePolicy: 'InPlace' }));
    const podOf = async (): Promise<Pod> => read(node, ['pod', 'inplace-immortalpod', `--namespace=${namespace}`]);
    await waitFor('a pod that is ready', async () => (await statusOf('inplace'))?.phase === 'Running');
    const before = await podOf();
    const patch = JSON.stringify({ spec: { image: 'nginx:1.29' } });
    const target = ['immortalcontainer', 'inplace', `--namespace=${namespace}`];
    await kubectl(node, ['patch', ...target, '--type=merge', `--patch=${patch}`]);
    const restarts = async (): Promise<number> => (await podOf()).status?.containerStatuses?.[0]?.restartCount ?? 0;
    await waitFor('a restart of the container', async () => (await restarts()) > 0);
    const { metadata, spec } = await podOf();
    expect(metadata?.uid).toBe(before.metadata?.uid);
    expect(spec?.containers[0]?.image).toBe('nginx:1.29');
    expect(await restarts()).toBe(1);
  });

  it('of a PodSet end within ten seconds when it is scaled down', async () => {
    await create({
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      metadata: { name: 'set' },
      spec: { replicas: 3 },
    });
    await waitFor('three pods that run', async () => (await pods('app=set')).filter(isReady).length === 3);
    const startedAt = performance.now();
    await kubectl(node, ['scale', 'podset/set', `--namespace=${namespace}`, '--replicas=1']);
    await waitFor('the end of two pods', async () => (await pods('app=set')).length === 1);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
