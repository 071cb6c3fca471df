import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { App, Chart } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { freeSlots } from '#lib/desired/marks/names.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { createSources } from '#lib/loop/source/sources.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { faultsOf, grantedBy, type RightsManifest, usedIn } from '#test/contract/rights/rights.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { hasWatchLists } from '#test/control-plane/features.ts';
import { OPERATOR, OPERATOR_USER, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { applyObjects } from './own-operator.ts';

/** Runs PodSet alone, so that no other kind adds to the counts. */
const entryPoint = fileURLToPath(new URL('./pod-set-operator.ts', import.meta.url));

const SETTLE_MS = 1000;

/** Time in which no request may be sent at rest; the benchmark observes a thousand objects for a minute. */
const REST_MS = 5000;

let plane: ControlPlane;
let operator: OperatorProcess;
let namespace: string;

/** Installs the bundle of PodSet alone: other suites use the rights of other kinds. */
const installPodSet = async (): Promise<void> => {
  const chart = new Chart(new App(), 'chart');
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds: [podSet], image: 'pod-set:1', name: OPERATOR });
  await applyObjects(plane, ...(chart.toJson() as object[]));
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
};

// Without scheduler and kwok pods stay Pending, so every count is exact.
beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installPodSet();
  operator = await startInstalledOperator(plane, { entryPoint });
  namespace = await plane.createNamespace('requests');
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

interface PodSetBody {
  readonly metadata: { readonly uid: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration: number;
    readonly replicas: number;
    readonly updatedReplicas: number;
    readonly podNames: readonly string[];
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

const path = (name = ''): string =>
  `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets${name && `/${name}`}`;

const read = async (name: string): Promise<PodSetBody> => (await plane.request<PodSetBody>('GET', path(name))).body;

const create = async (name: string, replicas: number): Promise<PodSetBody> => {
  const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec: { replicas } };
  return (await plane.request<PodSetBody>('POST', path(), body)).body;
};

const scale = async (name: string, replicas: number): Promise<void> => {
  await plane.request('PATCH', path(name), { spec: { replicas } }, { contentType: 'application/merge-patch+json' });
};

const exists = async (name: string, replicas: number): Promise<void> =>
  waitFor(`status of ${name} with ${replicas} pods`, async () => {
    const { metadata, status } = await read(name);
    return status?.observedGeneration === metadata.generation && status.replicas === replicas;
  });

const templateOf = (image: string) => ({ spec: { containers: [{ name: 'c', image }] } });

/** Edits the spec of "rolled", and waits until both of its pods have the new template. */
const edited = async (spec: object): Promise<void> => {
  await plane.request('PATCH', path('rolled'), { spec }, { contentType: 'application/merge-patch+json' });
  await waitFor('the update', async () => {
    const { metadata, status } = await read('rolled');
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && status.replicas === 2 && status.updatedReplicas === 2;
  });
};

/** Counts the operator's requests during an action, and for a while after. */
const sentDuring = async (act: () => Promise<void>): Promise<Record<string, number>> => {
  // A request is logged when it is answered, a moment after its effect is visible.
  await wait(SETTLE_MS);
  const before = await plane.auditEntries({ user: OPERATOR_USER });
  await act();
  await wait(REST_MS);
  const seen = new Set(before.map(({ auditID }) => auditID));
  const sent = (await plane.auditEntries({ user: OPERATOR_USER })).filter(({ auditID }) => !seen.has(auditID));
  return countOf(sent.filter(isOfLoop));
};

/** All rights that the bundle grants, in all namespaces and in the operator's own. */
const grantedRights = async (): Promise<string[]> => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const paths = [`clusterroles/${OPERATOR}`, `namespaces/${OPERATOR}/roles/${OPERATOR}-leader-election`];
  const roles = paths.map(async (path) => (await plane.request<RightsManifest>('GET', `${rbac}/${path}`)).body);
  return grantedBy(await Promise.all(roles));
};

const isLease = ({ resource }: AuditEntry) => ({ name: resource === 'leases', namespace: resource === 'leases' });

/**
 * Leases do not belong to the loop. Events follow when the loop has nothing else to write; describe.test.ts bounds
 * their number.
 */
const isOfLoop = ({ resource }: AuditEntry): boolean => resource !== 'leases' && resource !== 'events';

/**
 * Rights of PodSet that other tests use: it patches a pod to adopt or release it, and gets a snapshot live when its
 * name is taken. rights.test.ts proves the right to update finalizers, as no request uses it.
 */
const ofOtherKinds = [
  'patch pods. * in *',
  'get controllerrevisions.apps * in *',
  'update podsets/finalizers.app.example.com * in *',
];

const described = ({ verb, resource, subresource, code }: AuditEntry): string =>
  `${verb} ${resource}${subresource ? `/${subresource}` : ''}${code >= 400 ? ` ${code}` : ''}`;

const countOf = (entries: readonly AuditEntry[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(entries, described)].map(([key, same]) => [key, same.length]));

/** One request of each sort for each resource; `watch 422` is a watch that the server refuses. */
const once = (requests: readonly string[], resources: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    requests.flatMap((request) => {
      const [verb = '', code = ''] = request.split(' ');
      return resources.map((resource) => [`${verb} ${resource} ${code}`.trim(), 1] as const);
    }),
  );

describe('the operator', () => {
  it('sends N creates and one status write when a resource with N children is created (G1)', async () => {
    const sent = await sentDuring(async () => {
      await create('one', 3);
      await exists('one', 3);
    });
    expect(sent).toEqual({ 'create pods': 3, 'patch podsets/status': 1 });
  });

  it('sends k + 1 requests for a change that touches k children (G4)', async () => {
    const up = await sentDuring(async () => {
      await scale('one', 5);
      await exists('one', 5);
    });
    expect(up).toEqual({ 'create pods': 2, 'patch podsets/status': 1 });
    const down = await sentDuring(async () => {
      await scale('one', 1);
      await exists('one', 1);
    });
    expect(down).toEqual({ 'delete pods': 4, 'patch podsets/status': 1 });
  });

  it('sends nothing at rest (G2)', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `rest-${index}`);
    await Promise.all(names.map(async (name) => create(name, 2)));
    await Promise.all(names.map(async (name) => exists(name, 2)));
    const sent = await sentDuring(async () => wait(REST_MS));
    expect(sent).toEqual({});
  });

  it('only reads everything once, by watch-lists, when it is restarted over converged objects (G3)', async () => {
    const sent = await sentDuring(async () => {
      expect(await operator.stop()).toBe(0);
      operator = await startInstalledOperator(plane, { entryPoint });
    });
    const requests = hasWatchLists() ? ['watch'] : ['watch', 'watch 422', 'list'];
    expect(sent).toEqual(once(requests, ['controllerrevisions', 'pods', 'podsets', 'resourcequotas']));
  });

  it('lists and watches with the same rights where the server has no watch-lists', async () => {
    const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
    const api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: kubeconfig } }));
    const log = createLogger('silent');
    const sources = createSources([podSet], { api, timers: systemTimers, random: Math.random, log, watchLists: false });
    const sent = await sentDuring(async () => {
      sources.start();
      expect(await sources.synced()).toBe(true);
    });
    expect(sent).toEqual(once(['list', 'watch'], ['controllerrevisions', 'pods', 'podsets', 'resourcequotas']));
    await sources.stop();
    await api.close();
  });

  it('sends nothing when a resource is deleted: the garbage collector removes the pods (G5)', async () => {
    const sent = await sentDuring(async () => {
      await plane.request('DELETE', path('one'));
      await waitFor('the pods of "one" to go', async () => {
        const selector = encodeURIComponent('app.example.com/podset=one');
        const pods = `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`;
        return (await plane.request<{ items: unknown[] }>('GET', pods)).body.items.length === 0;
      });
    });
    expect(sent).toEqual({});
  });

  it('leaves a foreign pod alone that holds the name it needs, and says so (NameConflict)', async () => {
    await operator.stop();
    const { metadata } = await create('conflict', 1);
    const [held = ''] = freeSlots(1, { name: 'conflict', uid: metadata.uid, taken: new Set() });
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    const foreign = await plane.request<{ metadata: { uid: string } }>('POST', pods, {
      metadata: { name: held },
      spec,
    });
    operator = await startInstalledOperator(plane, { entryPoint });
    await waitFor('the conflict to be reported', async () => {
      const stalled = (await read('conflict')).status?.conditions.find(({ type }) => type === 'Stalled');
      return stalled?.status === 'True' && stalled.reason === 'NameConflict';
    });
    const live = await plane.request<{ metadata: { uid: string; ownerReferences?: unknown } }>(
      'GET',
      `${pods}/${held}`,
    );
    expect(live.body.metadata.uid).toBe(foreign.body.metadata.uid);
    expect(live.body.metadata.ownerReferences).toBeUndefined();
    await waitFor('the series of events about the conflict', async () => {
      const entries = await plane.auditEntries({ user: OPERATOR_USER });
      return entries.some(({ verb, resource }) => verb === 'patch' && resource === 'events');
    });
    await plane.request('DELETE', `${pods}/${held}`);
    await exists('conflict', 1);
  });

  it('gets a resource live when its status conflicts with a foreign write, and uses the result', async () => {
    await create('contested', 1);
    let replicas = 0;
    await waitFor('a conflict to be looked into', async () => {
      for (let burst = 0; burst < 5; burst += 1) {
        await Promise.all(Array.from({ length: 8 }, async () => scale('contested', (replicas += 1) % 4)));
      }
      const entries = await plane.auditEntries({ user: OPERATOR_USER });
      return entries.some(({ verb, resource }) => verb === 'get' && resource === 'podsets');
    });
    await scale('contested', 2);
    await exists('contested', 2);
    expect((await read('contested')).status?.conditions.find(({ type }) => type === 'Stalled')?.status).toBe('False');
  });

  it('writes a template down with the pods, once; an edit costs each pod its deletion and its creation', async () => {
    const created = await sentDuring(async () => {
      const spec = { replicas: 2, revisionHistoryLimit: 1, template: templateOf('a:1') };
      const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'rolled' }, spec };
      await plane.request('POST', path(), body);
      await exists('rolled', 2);
    });
    expect(created).toEqual({ 'create controllerrevisions': 1, 'create pods': 2, 'patch podsets/status': 1 });
    const updated = await sentDuring(async () => {
      await edited({ template: templateOf('a:2') });
    });
    // One creation more than there are pods: a dry run of the template.
    expect(updated).toMatchObject({ 'create controllerrevisions': 1, 'create pods': 3, 'delete pods': 2 });
    const reverted = await sentDuring(async () => {
      await edited({ template: templateOf('a:1'), revisionHistoryLimit: 0 });
    });
    expect(reverted).toMatchObject({ 'patch controllerrevisions': 1, 'delete controllerrevisions': 1 });
    expect(reverted).not.toHaveProperty('create controllerrevisions');
  });

  it('uses every right that it was granted, no other, and none with a wildcard (R8)', async () => {
    const rights = await grantedRights();
    const entries = await plane.auditEntries({ user: OPERATOR_USER });
    expect(faultsOf(rights, [...usedIn(entries, isLease), ...ofOtherKinds])).toEqual([]);
    expect(rights.filter((right) => right.startsWith('* '))).toEqual([]);
    expect(entries.filter(({ code }) => code === 403)).toEqual([]);
  });
});
