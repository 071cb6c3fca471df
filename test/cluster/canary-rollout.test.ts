import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { Shop } from '#test/company/backup/objects.ts';
import { backUp, fill, restore, untilWell } from '#test/company/backup/story.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { hasMutatingPolicies } from '#test/control-plane/features.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { twoAtLeast } from './size-policy.ts';

let plane: ControlPlane;
let operator: OperatorProcess;

/** Starts an operator. Only one runs at a time, so no lease of a killed operator has to expire. */
const start = async (): Promise<OperatorProcess> =>
  startInstalledOperator(plane, { env: { LEADER_ELECTION: 'false' } });

beforeAll(async () => {
  plane = await startControlPlane();
  await installBundle(plane);
  operator = await start();
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const templateOf = (version: string, more: object = {}) => ({
  spec: { containers: [{ name: 'web', image: `web:${version}` }], ...more },
});

const pathOf = (namespace: string): string =>
  `/apis/deploy.example.com/v1alpha1/namespaces/${namespace}/canaryrollouts/web`;

const statusIn = async (namespace: string): Promise<Partial<RolloutStatus> & { observedGeneration?: number }> =>
  (await plane.request<{ status?: Partial<RolloutStatus> }>('GET', pathOf(namespace))).body.status ?? {};

const patchSpec = async (namespace: string, spec: object): Promise<void> => {
  await plane.request('PATCH', pathOf(namespace), { spec }, { contentType: 'application/merge-patch+json' });
};

const sizesIn = async (namespace: string): Promise<number[]> =>
  ((await statusIn(namespace)).deployments ?? []).map(({ replicas }) => replicas).toSorted((a, b) => a - b);

const until = async (namespace: string, what: string, holds: (status: Partial<RolloutStatus>) => boolean) =>
  waitFor(`${what} in ${namespace}`, async () => holds(await statusIn(namespace)), { pollMs: 100 });

const deployed = async (prefix: string, spec: object): Promise<string> => {
  const namespace = await plane.createNamespace(prefix);
  const body = {
    apiVersion: 'deploy.example.com/v1alpha1',
    kind: 'CanaryRollout',
    metadata: { name: 'web' },
    spec: { replicas: 10, template: templateOf('1'), ...spec },
  };
  await plane.request('POST', pathOf(namespace).replace(/\/web$/, ''), body);
  await until(namespace, 'the first version', ({ phase }) => phase === 'Healthy');
  return namespace;
};

const isReady = ({ status }: KubePod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

interface Extremes {
  fewest: number;
  most: number;
}

/** Polls the pods while an action is under way. */
const watching = async (namespace: string, happens: () => Promise<void>): Promise<Extremes> => {
  const extremes = { fewest: Infinity, most: 0 };
  const ending = new AbortController();
  const look = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const { items } = (await plane.request<{ items: KubePod[] }>('GET', path)).body;
      const living = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
      extremes.fewest = Math.min(extremes.fewest, living.filter(isReady).length);
      extremes.most = Math.max(extremes.most, living.length);
    }
  };
  const looking = look();
  await happens().finally(() => ending.abort());
  await looking;
  return extremes;
};

const eventsIn = async (namespace: string, reason: string): Promise<string[]> => {
  const { items } = (
    await plane.request<{ items: { reason: string; note: string }[] }>(
      'GET',
      `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
    )
  ).body;
  return items.filter((event) => event.reason === reason).map(({ note }) => note);
};

/** Returns the sizes at a completed step, as `10%: 1/9`. */
const sizesAtStep = ({ stepReadyAt, percent, deployments = [] }: Partial<RolloutStatus>): string => {
  const of = (wanted: string): number => deployments.find(({ role }) => role === wanted)?.replicas ?? 0;
  return stepReadyAt === undefined ? '' : `${percent}%: ${of('Canary')}/${of('Stable')}`;
};

const overriddenIn = (status: object): string => {
  const { conditions = [] } = status as { conditions?: readonly { type: string; message: string }[] };
  return conditions.find(({ type }) => type === 'ChildOverridden')?.message ?? '';
};

describe('CanaryRollout on a real control plane', () => {
  it('replaces ten pods by steps, with ten ready ones and thirteen at most all the time', async () => {
    const steps = [{ percent: 10, sleep: 2 }, { percent: 30, sleep: 2 }, { percent: 60, sleep: 2 }, { percent: 100 }];
    const namespace = await deployed('canary', { steps });
    const sizes = new Set<string>();
    const extremes = await watching(namespace, async () => {
      await patchSpec(namespace, { template: templateOf('2') });
      await until(namespace, 'the second version', ({ phase, history = [], ...status }) => {
        sizes.add(sizesAtStep(status));
        return phase === 'Healthy' && history.length === 2;
      });
    });
    // The poll may miss a step; each seen step must be correct.
    expect([...sizes].filter((seen) => !['', '10%: 1/9', '30%: 3/7', '60%: 6/4', '100%: 10/0'].includes(seen))).toEqual(
      [],
    );
    expect(extremes).toEqual({ fewest: 10, most: expect.any(Number) as number });
    expect(extremes.most).toBeLessThanOrEqual(13);
    const { items } = (
      await plane.request<{ items: unknown[] }>('GET', `/apis/apps/v1/namespaces/${namespace}/deployments`)
    ).body;
    expect(items).toHaveLength(1);
    await waitFor('the event of the last step', async () => (await eventsIn(namespace, 'StepCompleted')).length === 4);
    const reached = (await eventsIn(namespace, 'StepCompleted')).map((text) => text.replace(/, sleeps until .*/, ''));
    expect(reached.toSorted()).toEqual(['1/4 (10%)', '2/4 (30%)', '3/4 (60%)', '4/4 (100%)']);
  });

  it('goes back fast when spec does at 60 percent, with ten ready pods all the time', async () => {
    const namespace = await deployed('revert', { steps: [{ percent: 60, sleep: 3600 }] });
    const extremes = await watching(namespace, async () => {
      await patchSpec(namespace, { template: templateOf('2') });
      await until(namespace, '60 percent', ({ percent, stepReadyAt }) => percent === 60 && stepReadyAt !== undefined);
      expect(await sizesIn(namespace)).toEqual([4, 6]);
      await patchSpec(namespace, { template: templateOf('1') });
      await until(
        namespace,
        'the first version',
        ({ phase, history = [] }) => phase === 'Healthy' && history.length === 2,
      );
    });
    expect(extremes.fewest).toBe(10);
    expect(extremes.most).toBeLessThanOrEqual(13);
    expect(await sizesIn(namespace)).toEqual([10]);
    expect((await statusIn(namespace)).history?.map(({ outcome }) => outcome)).toEqual(['Promoted', 'RolledBack']);
  });

  it('gives a version up that is never ready, and leaves the stable one untouched', async () => {
    const namespace = await deployed('broken', { steps: [{ percent: 30 }], progressDeadlineSeconds: 5 });
    const { stableHash } = await statusIn(namespace);
    const extremes = await watching(namespace, async () => {
      await patchSpec(namespace, { template: templateOf('2', { nodeSelector: { nowhere: 'true' } }) });
      await until(namespace, 'the end of the second version', ({ phase }) => phase === 'Degraded');
    });
    expect(extremes.fewest).toBe(10);
    const status = await statusIn(namespace);
    expect(status).toMatchObject({ stableHash, abortReason: 'ProgressDeadlineExceeded' });
    expect(await sizesIn(namespace)).toEqual([0, 10]);
  });

  it('ends a sleep when it would have ended although the operator was killed in it', async () => {
    const namespace = await deployed('killed', { replicas: 2, steps: [{ percent: 50, sleep: 20 }] });
    await patchSpec(namespace, { template: templateOf('2') });
    await until(namespace, 'the sleep', ({ sleepUntil }) => sleepUntil !== undefined);
    const { sleepUntil = '' } = await statusIn(namespace);
    await operator.stop('SIGKILL');
    expect((await statusIn(namespace)).sleepUntil).toBe(sleepUntil);
    operator = await start();
    const started = new Date(Math.max(Date.now(), Date.parse(sleepUntil)));
    await until(namespace, 'the second version', ({ history = [] }) => history.length === 2);
    const { promotedAt = '' } = await statusIn(namespace);
    expect(promotedAt > sleepUntil).toBe(true);
    expect(Date.parse(promotedAt) - started.getTime()).toBeLessThan(120_000);
  });

  it('has everything as it was when a backup of all kinds comes back in the order of Velero', async () => {
    const before = await fill(plane);
    const after = new Shop(plane, await plane.createNamespace('restored'));
    await restore(after, await backUp(before), 'as Velero does');
    expect(await untilWell(after, 'as Velero does')).toBeLessThan(60_000);
  });

  it.runIf(hasMutatingPolicies())(
    'goes on, and goes back, beside a policy that makes every Deployment at least two large, and names it',
    async () => {
      const namespace = await deployed('canary-policy', {
        replicas: 3,
        steps: [{ percent: 30, sleep: 600 }, { percent: 100 }],
      });
      const policy = await twoAtLeast(plane, namespace);
      await patchSpec(namespace, { template: templateOf('2') });
      await until(namespace, 'the first step', ({ stepReadyAt }) => stepReadyAt !== undefined);
      await waitFor('the conflict to be named', async () =>
        overriddenIn(await statusIn(namespace)).includes('changes spec.replicas from 1 to 2 of Deployment "web-'),
      );
      await patchSpec(namespace, { template: templateOf('1') });
      await until(namespace, 'the way back', ({ phase }) => phase === 'Healthy');
      expect(await sizesIn(namespace)).toEqual([3]);
      expect(await eventsIn(namespace, 'DriftCorrected')).toEqual([]);
      await patchSpec(namespace, { template: templateOf('3') });
      await waitFor('the conflict to be named again', async () => overriddenIn(await statusIn(namespace)) !== '');
      await policy.remove();
      await waitFor(
        'the conflict to end by itself',
        async () => overriddenIn(await statusIn(namespace)) === '' && (await sizesIn(namespace)).includes(1),
        { timeoutMs: 60_000 },
      );
    },
  );

  it('needs no right that it was not granted', async () => {
    const forbidden = (
      await plane.auditEntries({ user: 'system:serviceaccount:cdk8s-reconcile:cdk8s-reconcile' })
    ).filter(({ code }) => code === 403);
    expect(forbidden).toEqual([]);
  });
});
