import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import {
  kubectl,
  leader,
  leaseHolder,
  operatorIsUp,
  operatorPods,
  read,
  restrictedNamespace,
  startOperatorNode,
} from './operator-node.ts';

/** Goals of the project: fail-over after a crash, and after SIGTERM. */
const AFTER_CRASH_MS = 20_000;
const AFTER_SIGTERM_MS = 5000;

describeNode('two replicas of the operator', () => {
  let node: RealNode;
  let namespace: string;
  beforeAll(async () => {
    node = await startOperatorNode();
    namespace = await restrictedNamespace(node, 'failover');
  });
  afterAll(async () => node?.stop());

  const containerOf = async (pod: string): Promise<string> => {
    const found = (await operatorPods(node)).find(({ metadata }) => metadata?.name === pod);
    return found?.status?.containerStatuses?.[0]?.containerID?.split('/').at(-1) ?? '';
  };
  const inside = async (command: readonly string[]): Promise<void> => {
    const { code, stderr } = await node.run(command);
    if (code !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  };
  const signalTo = async (pod: string, signal: string): Promise<void> =>
    inside(['ctr', 'tasks', 'kill', '--signal', signal, await containerOf(pod)]);
  const freezer = (container: string, state: 'FROZEN' | 'THAWED'): Promise<void> =>
    inside(['sh', '-ec', `echo ${state} > "$(find /sys/fs/cgroup/freezer -name ${container})/freezer.state"`]);
  /** A PodSet that only the next leader can serve, and the time until it has its pods. */
  const servedAfter = async (name: string, holder: string): Promise<number> => {
    const startedAt = performance.now();
    const set = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec: { replicas: 3 } };
    await kubectl(node, ['create', `--namespace=${namespace}`, '--filename=-'], set);
    await waitFor('another holder of the lease', async () => {
      const next = await leaseHolder(node);
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
  /** Pods of a PodSet that the operator ever created. */
  const createdFor = async (name: string): Promise<readonly AuditEntry[]> =>
    (await node.auditEntries({ user: OPERATOR_USER })).filter(
      (entry) => entry.resource === 'pods' && entry.code === 201 && entry.name.startsWith(`${name}-`),
    );

  it('have another leader within 20 s after SIGKILL, and the container starts again', async () => {
    const [holder, pod] = [await leaseHolder(node), await leader(node)];
    await signalTo(pod, 'SIGKILL');
    expect(await servedAfter('killed', holder)).toBeLessThan(AFTER_CRASH_MS);
    expect(await createdFor('killed')).toHaveLength(3);
    const restarts = async (): Promise<number | undefined> =>
      (await operatorPods(node)).find(({ metadata }) => metadata?.name === pod)?.status?.containerStatuses?.[0]
        ?.restartCount;
    await waitFor('a restart of the container', async () => (await restarts()) === 1);
    await operatorIsUp(node);
  });

  it('have another leader within 20 s while the first is frozen, which writes nothing when it goes on', async () => {
    const [holder, pod] = [await leaseHolder(node), await leader(node)];
    const container = await containerOf(pod);
    await freezer(container, 'FROZEN');
    expect(await servedAfter('frozen', holder)).toBeLessThan(AFTER_CRASH_MS);
    await freezer(container, 'THAWED');
    await waitFor('another container instead', async () => (await containerOf(pod)) !== container);
    expect(await createdFor('frozen')).toHaveLength(3);
    await operatorIsUp(node);
  });

  it('have another leader within 5 s after the pod of the first is deleted', async () => {
    const [holder, pod] = [await leaseHolder(node), await leader(node)];
    await kubectl(node, ['delete', 'pod', pod, `--namespace=${OPERATOR}`, '--wait=false']);
    expect(await servedAfter('deleted', holder)).toBeLessThan(AFTER_SIGTERM_MS);
    expect(await createdFor('deleted')).toHaveLength(3);
    await operatorIsUp(node);
  });
});
