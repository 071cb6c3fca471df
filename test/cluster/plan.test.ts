import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { readLive } from '#lib/foresight/cluster/read-live.ts';
import type { Change } from '#lib/foresight/plan/change.ts';
import { type ChangePlan, planChange } from '#lib/foresight/plan/plan-change.ts';
import { Pod } from '#lib/kind/reference.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client.ts';
import { loadCredentials } from '#lib/kube/credentials.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR_USER, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

let plane: ControlPlane;
let operator: OperatorProcess;
let api: KubeClient;

beforeAll(async () => {
  plane = await startControlPlane();
  await installBundle(plane);
  operator = await startInstalledOperator(plane);
  api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfigFor('admin') } }));
});

afterAll(async () => {
  await api?.close();
  await operator?.stop();
  await plane?.stop();
});

const kubectl = async (args: readonly string[], input?: object): Promise<string> => {
  const { code, stdout, stderr } = await plane.kubectl(
    args,
    input === undefined ? {} : { input: JSON.stringify(input) },
  );
  expect(`${code} ${stderr.replaceAll(/^Warning: .*\n/gm, '')}`).toBe('0 ');
  return stdout;
};

interface Status {
  readonly phase?: string;
  readonly stableVersion?: string;
  readonly readyReplicas?: number;
}

const statusOf = async ({ kind, metadata: { namespace = '', name } }: LiveObject): Promise<Status> =>
  (JSON.parse(await kubectl(['-n', namespace, 'get', kind.toLowerCase(), name, '-o', 'json'])) as { status?: Status })
    .status ?? {};

const reaches = async (object: LiveObject, what: string, isSo: (status: Status) => boolean): Promise<void> =>
  waitFor(`${object.kind} ${what}`, async () => isSo(await statusOf(object)), { pollMs: 100 });

/** A write of a child or of a finalizer: how many patches the course of a status takes depends on when others move. */
const isChildWrite = ({ verb, resource, subresource, requestURI, code }: AuditEntry): boolean =>
  ['create', 'patch', 'update', 'delete'].includes(verb) &&
  !['leases', 'events'].includes(resource) &&
  subresource === '' &&
  code < 400 &&
  !requestURI.includes('dryRun=All');

/** An apply that creates is a patch on the wire, as in a plan. The name of what is created by POST stands in no audit log of this level. */
const wordsOf = ({
  verb,
  resource,
  name,
}: {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
}): string => (verb === 'create' ? `${verb} ${resource}` : `${verb} ${resource} ${name}`);

const planned = ({ writes }: ChangePlan): string[] => writes.filter(({ action }) => action !== 'status').map(wordsOf);

/** What was created by POST has the names that were planned. */
const expectCreated = async ({ writes }: ChangePlan, namespace: string): Promise<void> => {
  const names = writes.filter(({ verb, kind }) => verb === 'create' && kind === 'Pod').map(({ name }) => name);
  if (names.length === 0) return;
  const { items } = await api.list(Pod, { namespace });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names));
};

interface Compared {
  readonly plan: ChangePlan;
  /** What the operator wrote to children since the change was made. */
  readonly done: readonly string[];
}

/** Plans a change of what is there now, makes it, and waits for the first writes of children, or all that were planned. */
const compared = async (change: Change, make: () => Promise<unknown>, first?: number): Promise<Compared> => {
  const { namespace = '' } = change.object.metadata;
  const live = await readLive(api, { kinds, namespaces: [namespace] });
  const plan = await planChange({ kinds, live: live.objects, changes: [change], now: Date.now() });
  expect(plan.changes).toMatchObject([{ outcome: 'configured' }]);
  const writes = async (): Promise<readonly AuditEntry[]> =>
    (await plane.auditEntries({ user: OPERATOR_USER, namespace })).filter(isChildWrite);
  const count = first ?? planned(plan).length;
  const before = (await writes()).length;
  await make();
  let done: readonly string[] = [];
  await waitFor(`${count} writes`, async () => {
    done = (await writes()).slice(before).map(wordsOf);
    return done.length >= count;
  });
  return { plan, done: done.slice(0, count) };
};

const apply = (object: LiveObject) => async (): Promise<unknown> => kubectl(['apply', '-f', '-'], object);

const applyChange = async (object: LiveObject, first?: number): Promise<Compared> =>
  compared({ verb: 'apply', object }, apply(object), first);

const setIn = (namespace: string, replicas: number, image: string): LiveObject => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name: 'web', namespace },
  spec: {
    replicas,
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
});

const deployerIn = (namespace: string, version: string): LiveObject => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'Deployer',
  metadata: { name: 'nginx', namespace },
  spec: {
    type: 'canary',
    deployment: { name: 'nginx', image: 'nginx', version, replicas: 10 },
    steps: [{ percent: 60, sleep: 3600 }, { percent: 100 }],
  },
});

const immortalIn = (namespace: string): LiveObject => ({
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  metadata: { name: 'web', namespace },
  spec: { image: 'nginx:latest' },
});

describe('a plan on a real control plane is what the operator writes then', () => {
  it('when a PodSet is scaled', async () => {
    const namespace = await plane.createNamespace('plan-scale');
    const small = setIn(namespace, 2, 'web:1');
    await apply(small)();
    await reaches(small, 'ready', ({ readyReplicas }) => readyReplicas === 2);
    const { plan, done } = await applyChange(setIn(namespace, 4, 'web:1'));
    expect(done).toEqual(planned(plan));
    expect(done).toEqual(['create pods', 'create pods']);
    await expectCreated(plan, namespace);
  });

  // Beyond the first writes the kubelet has its say: a pod that is ready lets another go.
  it('when the template of a PodSet changes, until others move', async () => {
    const namespace = await plane.createNamespace('plan-template');
    const old = setIn(namespace, 3, 'web:1');
    await apply(old)();
    await reaches(old, 'ready', ({ readyReplicas }) => readyReplicas === 3);
    const { plan, done } = await applyChange(setIn(namespace, 3, 'web:2'), 2);
    expect(done).toEqual(planned(plan).slice(0, 2));
    expect(done).toEqual(['create controllerrevisions', 'create pods']);
  });

  it('when a Deployer goes from 1.7.7 to 1.7.8, until others move', async () => {
    const namespace = await plane.createNamespace('plan-deployer');
    const old = deployerIn(namespace, '1.7.7');
    await apply(old)();
    await reaches(old, 'healthy', ({ phase, stableVersion }) => phase === 'Healthy' && stableVersion === '1.7.7');
    const { plan, done } = await applyChange(deployerIn(namespace, '1.7.8'), 1);
    expect(done).toEqual(planned(plan).slice(0, 1));
  });

  it('when the pod of an ImmortalContainer crashes', async () => {
    const namespace = await plane.createNamespace('plan-immortal');
    await apply(immortalIn(namespace))();
    await reaches(immortalIn(namespace), 'running', ({ phase }) => phase === 'Running');
    const path = `/api/v1/namespaces/${namespace}/pods/web-immortalpod`;
    const { body } = await plane.request<LiveObject>('GET', path);
    const status = { phase: 'Failed', reason: 'Evicted' };
    const contentType = 'application/merge-patch+json';
    const crash = async (): Promise<unknown> => plane.request('PATCH', `${path}/status`, { status }, { contentType });
    const { plan, done } = await compared({ verb: 'status', object: { ...body, status } }, crash);
    expect(done).toEqual(planned(plan));
    expect(done.length).toBeGreaterThan(0);
  });
});
