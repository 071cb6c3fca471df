import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

/** Two users, so that the audit log tells the processes apart. */
const names = ['operator-a', 'operator-b'] as const;
type Name = (typeof names)[number];

const LEASE = 'election';
const SHORT_LEASE_MS = 2000;
/** With a lease of 2 s a write may take two thirds of it. */
const WRITE_TIMEOUT_MS = (SHORT_LEASE_MS * 10) / 15;
/** A request that was sent in time reaches the audit log a moment later; a broken fence shows by more than a second. */
const SLACK_MS = 400;

const ROUNDS = process.env['SOAK'] === undefined ? 5 : 50;
const ROUND_MS = 30_000;

let plane: ControlPlane;
let namespace: string;
const operators = new Map<Name, OperatorProcess>();

beforeAll(async () => {
  const users = names.map((name) => ({ name, groups: ['system:masters'] }));
  plane = await startControlPlane({ scheduler: false, kwok: false, users });
  await installBundle(plane);
  namespace = await plane.createNamespace('election');
});

afterAll(async () => {
  for (const operator of operators.values()) await operator.stop('SIGKILL');
  await plane?.stop();
});

const start = (name: Name, env: Readonly<Record<string, string>> = {}): OperatorProcess => {
  const election = { POD_NAME: name, POD_NAMESPACE: namespace, LEASE_NAME: LEASE };
  const operator = spawnOperator({ kubeconfig: plane.kubeconfigFor(name), env: { ...election, ...env } });
  operators.set(name, operator);
  return operator;
};

const says = (operator: OperatorProcess, msg: string): boolean => operator.log.some((line) => line.msg === msg);

const startBoth = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  for (const name of names) {
    const operator = start(name, env);
    await waitFor(`${name} to work or to stand by`, async () =>
      ['caches filled, loop started', 'caches filled, standing by'].some((msg) => says(operator, msg)),
    );
  }
};

const stopBoth = async (): Promise<void> => {
  for (const operator of operators.values()) await operator.stop();
};

interface Lease {
  readonly spec: { readonly holderIdentity?: string };
}

const leader = async (): Promise<Name | undefined> => {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${LEASE}`;
  const { holderIdentity = '' } = (await plane.request<Lease>('GET', path)).body.spec;
  return names.find((name) => holderIdentity.startsWith(`${name}_`));
};

const otherThan = (name: Name): Name => (name === 'operator-a' ? 'operator-b' : 'operator-a');

const operatorOf = (name: Name): OperatorProcess => {
  const operator = operators.get(name);
  if (operator) return operator;
  throw new Error(`${name} does not run`);
};

const path = (name = ''): string =>
  `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets${name && `/${name}`}`;

const create = async (name: string, replicas: number): Promise<void> => {
  const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec: { replicas } };
  await plane.request('POST', path(), body);
};

const scale = async (name: string, replicas: number): Promise<void> => {
  await plane.request('PATCH', path(name), { spec: { replicas } }, { contentType: 'application/merge-patch+json' });
};

interface PodSetBody {
  readonly metadata: { readonly generation: number; readonly uid: string };
  readonly status?: { readonly observedGeneration?: number; readonly replicas?: number };
}

interface PodList {
  readonly items: readonly {
    readonly metadata: {
      readonly deletionTimestamp?: string;
      readonly ownerReferences?: readonly { readonly uid: string }[];
    };
  }[];
}

/** What the status says, and what is there. */
const settled = async (name: string, replicas: number): Promise<void> =>
  waitFor(`${name} to have ${replicas} pods`, async () => {
    const { metadata, status } = (await plane.request<PodSetBody>('GET', path(name))).body;
    const pods = (await plane.request<PodList>('GET', `/api/v1/namespaces/${namespace}/pods`)).body.items;
    const own = pods.filter(
      (pod) => pod.metadata.ownerReferences?.[0]?.uid === metadata.uid && pod.metadata.deletionTimestamp === undefined,
    );
    return (
      status?.observedGeneration === metadata.generation && status.replicas === replicas && own.length === replicas
    );
  });

const sets = ['one', 'two', 'three', 'four'];

/** Keeps the leader writing. */
const stir = async (times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    await Promise.all(sets.map(async (name, index) => scale(name, (time + index) % 5)));
    await wait(10);
  }
};

const msOf = ({ requestReceivedTimestamp }: AuditEntry): number => Date.parse(requestReceivedTimestamp);

const isMutation = ({ verb }: AuditEntry): boolean => ['create', 'patch', 'delete', 'update'].includes(verb);

const isRenewal = ({ resource, code }: AuditEntry): boolean => resource === 'leases' && code < 300;

/** What a process wrote, and when it took or renewed the lease. */
const deedsOf = async (name: Name) => {
  const mutations = (await plane.auditEntries({ user: name })).filter(isMutation);
  return {
    renewals: mutations.filter(isRenewal).map(msOf),
    writes: mutations.filter(({ resource }) => resource !== 'leases'),
  };
};

/** Writes that started when the lease had no time left for them. */
const lateWrites = async (): Promise<string[]> => {
  const all = await Promise.all(
    names.map(async (name) => {
      const { renewals, writes } = await deedsOf(name);
      return writes.flatMap((write) => {
        const at = msOf(write);
        const renewedAt = Math.max(...renewals.filter((ms) => ms <= at));
        const lateMs = at - renewedAt - (SHORT_LEASE_MS - WRITE_TIMEOUT_MS);
        return lateMs > SLACK_MS ? [`${name} ${write.verb} ${write.resource} ${write.code}: ${lateMs} ms late`] : [];
      });
    }),
  );
  return all.flat();
};

describe('leader election on a real control plane', () => {
  it(
    'starts no write when the leader was frozen for longer than its lease, and the standby goes on (R4)',
    async () => {
      await startBoth({ LEASE_DURATION_SECONDS: String(SHORT_LEASE_MS / 1000) });
      for (const name of sets) await create(name, 1);
      for (const name of sets) await settled(name, 1);
      for (let round = 0; round < ROUNDS; round += 1) {
        const frozen = await leader();
        if (frozen === undefined) throw new Error('nobody leads');
        const stirred = stir(40);
        await wait(100 + round * 7);
        process.kill(operatorOf(frozen).pid, 'SIGSTOP');
        await waitFor('the standby to take over', async () => (await leader()) === otherThan(frozen));
        await stirred;
        process.kill(operatorOf(frozen).pid, 'SIGCONT');
        expect(await operatorOf(frozen).exited).toBe(1);
        expect(operatorOf(frozen).errors()).toContain(`Lost the lease "${namespace}/${LEASE}"`);
        for (const name of sets) await scale(name, round % 4);
        for (const name of sets) await settled(name, round % 4);
        start(frozen, { LEASE_DURATION_SECONDS: String(SHORT_LEASE_MS / 1000) });
      }
      expect(await lateWrites()).toEqual([]);
      await stopBoth();
    },
    ROUNDS * ROUND_MS,
  );

  it('takes over within 5 s of a SIGTERM, and within 20 s of a crash, with the default lease (R6)', async () => {
    await startBoth();
    const first = await leader();
    if (first === undefined) throw new Error('nobody leads');
    const terminatedAt = performance.now();
    expect(await operatorOf(first).stop('SIGTERM')).toBe(0);
    await scale('one', 4);
    await settled('one', 4);
    expect(performance.now() - terminatedAt).toBeLessThan(5000);
    start(first);
    await waitFor('a standby', async () => says(operatorOf(first), 'caches filled, standing by'));
    const killedAt = performance.now();
    await operatorOf(otherThan(first)).stop('SIGKILL');
    await scale('one', 2);
    await settled('one', 2);
    expect(performance.now() - killedAt).toBeLessThan(20_000);
    await stopBoth();
  });
});
