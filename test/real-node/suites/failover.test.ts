import type { ContainerStatus } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import {
  childrenCreated,
  kubectl,
  leader,
  operatorHolder,
  operatorIsUp,
  operatorPods,
  read,
  restrictedNamespace,
  startOperatorNode,
} from './operator-node.ts';

/** Goals of the project: fail-over after a crash, and after SIGTERM. */
const AFTER_CRASH_MS = 20_000;
const AFTER_SIGTERM_MS = 5000;

/**
 * Fills the memory of the container `$0` with a file. The kernel then kills the operator: a file cannot be killed, and the
 * process that writes it has a lower score.
 */
const FILL_MEMORY = `
group=$(find /sys/fs/cgroup/memory -name "$0")
(echo 0 > "$group/cgroup.procs" && head -c 512M /dev/zero > /run/filled)
rm /run/filled`;

describeNode('two replicas of the operator', () => {
  let node: RealNode;
  let namespace: string;
  beforeAll(async () => {
    node = await startOperatorNode();
    namespace = await restrictedNamespace(node, 'failover');
  });
  afterAll(async () => node?.stop());

  const containerOf = async (pod: string): Promise<ContainerStatus> => {
    const found = (await operatorPods(node)).find(({ metadata }) => metadata?.name === pod);
    const [container] = found?.status?.containerStatuses ?? [];
    if (container === undefined) throw new Error(`Pod ${pod} has no container`);
    return container;
  };
  const idOf = async (pod: string): Promise<string> => (await containerOf(pod)).containerID?.split('/').at(-1) ?? '';
  const inside = async (command: readonly string[]): Promise<void> => {
    const { code, stderr } = await node.run(command);
    if (code !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  };
  const signalTo = async (pod: string, signal: string): Promise<void> =>
    inside(['ctr', 'tasks', 'kill', '--signal', signal, await idOf(pod)]);
  const freezer = (container: string, state: 'FROZEN' | 'THAWED'): Promise<void> =>
    inside(['sh', '-ec', `echo ${state} > "$(find /sys/fs/cgroup/freezer -name ${container})/freezer.state"`]);
  const fillMemory = async (pod: string): Promise<void> => inside(['sh', '-c', FILL_MEMORY, await idOf(pod)]);
  const evict = async (pod: string): Promise<void> => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: OPERATOR } };
    const path = `/api/v1/namespaces/${OPERATOR}/pods/${pod}/eviction`;
    expect((await node.request('POST', path, eviction)).status).toBe(201);
  };
  /** A PodSet that only the next leader can serve, and the time until it has its pods. */
  const servedAfter = async (name: string, holder: string): Promise<number> => {
    const startedAt = performance.now();
    const set = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec: { replicas: 3 } };
    await kubectl(node, ['create', `--namespace=${namespace}`, '--filename=-'], set);
    await waitFor('another holder of the lease', async () => {
      const next = await operatorHolder(node);
      return next !== '' && next !== holder;
    });
    const took = performance.now() - startedAt;
    interface Set {
      readonly status?: { readonly readyReplicas?: number };
    }
    const ready = async (): Promise<number | undefined> =>
      (await read<Set>(node, ['podset', name, `--namespace=${namespace}`])).status?.readyReplicas;
    await waitFor('three pods that run', async () => (await ready()) === 3);
    return took;
  };
  /** Waits until the container of a pod has been started again. @returns how its predecessor ended */
  const restarted = async (pod: string, before: number): Promise<string | undefined> => {
    await waitFor('a restart of the container', async () => (await containerOf(pod)).restartCount > before);
    await operatorIsUp(node);
    return (await containerOf(pod)).lastState?.terminated?.reason;
  };

  it.for([
    ['SIGKILL', 'Error', (pod: string) => signalTo(pod, 'SIGKILL')],
    ['a kill by the kernel for its memory', 'OOMKilled', fillMemory],
  ] as const)('have another leader within 20 s after %s, and the container starts again', async ([, reason, end]) => {
    const [holder, pod] = [await operatorHolder(node), await leader(node)];
    const { restartCount } = await containerOf(pod);
    await end(pod);
    const name = reason.toLowerCase();
    expect(await servedAfter(name, holder)).toBeLessThan(AFTER_CRASH_MS);
    expect(await restarted(pod, restartCount)).toBe(reason);
    expect(await childrenCreated(node, 'pods', `${name}-`)).toHaveLength(3);
  });

  it('have another leader within 20 s while the first is frozen, which writes nothing when it goes on', async () => {
    const [holder, pod] = [await operatorHolder(node), await leader(node)];
    const container = await idOf(pod);
    await freezer(container, 'FROZEN');
    expect(await servedAfter('frozen', holder)).toBeLessThan(AFTER_CRASH_MS);
    await freezer(container, 'THAWED');
    await waitFor('another container instead', async () => (await idOf(pod)) !== container);
    expect(await childrenCreated(node, 'pods', 'frozen-')).toHaveLength(3);
    await operatorIsUp(node);
  });

  const deletePod = (pod: string): Promise<string> =>
    kubectl(node, ['delete', 'pod', pod, `--namespace=${OPERATOR}`, '--wait=false']);

  it.for([
    ['deleted', deletePod],
    ['evicted', evict],
  ] as const)('have another leader within 5 s after the pod of the first is %s', async ([name, end]) => {
    const [holder, pod] = [await operatorHolder(node), await leader(node)];
    await end(pod);
    expect(await servedAfter(name, holder)).toBeLessThan(AFTER_SIGTERM_MS);
    expect(await childrenCreated(node, 'pods', `${name}-`)).toHaveLength(3);
    await operatorIsUp(node);
  });
});
