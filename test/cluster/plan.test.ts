import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOperator } from '#apps/bundle.ts';
import { kinds } from '#apps/kinds.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { readLive } from '#lib/foresight/cluster/read-live.ts';
import type { PlannedChange } from '#lib/foresight/plan/change.ts';
import { type ChangePlan, planChange } from '#lib/foresight/plan/plan-change.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import type { JsonObject } from '#lib/json.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { repository } from '#test/architecture/repository.ts';
import { podEnvironment } from '#test/bench/ground/as-in-pod.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR_USER } from '#test/control-plane/install.ts';
import { type OperatorProcess, startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { ran } from '#test/unit/cli/run-cli.ts';
import { isAtRest } from './foretold/at-rest.ts';
import { courseOf } from './foretold/course.ts';
import { drawnIn, isOfChild, isWrite, loggedWrite, type PlainWrite, plannedWrite } from './foretold/plain-write.ts';

let plane: ControlPlane;
let operator: OperatorProcess;
let folder: string;
let api: KubeClient;

beforeAll(async () => {
  plane = await startControlPlane({ audit: 'Writes' });
  await installBundle(plane);
  folder = await mkdtemp(join(tmpdir(), 'plan-'));
  await bundleOperator(folder);
  const env = { ...(await podEnvironment(plane)), RECORD_FILE: join(folder, 'passes.jsonl') };
  operator = await startOperator({ kubeconfig: '', entryPoint: join(folder, 'operator.mjs'), env });
  api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfigFor('admin') } }));
});

afterAll(async () => {
  await api?.close();
  await operator?.stop();
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
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
  readonly sleepUntil?: string;
}

const statusOf = async ({ kind, metadata: { namespace = '', name } }: LiveObject): Promise<Status> =>
  (JSON.parse(await kubectl(['-n', namespace, 'get', kind.toLowerCase(), name, '-o', 'json'])) as { status?: Status })
    .status ?? {};

const reaches = async (object: LiveObject, what: string, isSo: (status: Status) => boolean): Promise<void> =>
  waitFor(`${object.kind} ${what}`, async () => isSo(await statusOf(object)), { pollMs: 100 });

const writesIn = async (namespace: string) =>
  (await plane.auditEntries({ user: OPERATOR_USER, namespace })).filter(isWrite);

/** A plan, and the operator's writes since the change, in the same form. */
interface Foretold {
  readonly namespace: string;
  readonly plan: ChangePlan;
  readonly first: readonly PlainWrite[];
  readonly sequence: readonly PlainWrite[];
  readonly done: () => Promise<readonly PlainWrite[]>;
}

const HORIZON_MS = 600_000;

/** Returns the objects of a namespace once they no longer change: each write makes another version. */
const settledIn = async (namespace: string): Promise<readonly LiveObject[]> => {
  const within = (objects: readonly LiveObject[]): readonly LiveObject[] =>
    objects.filter(({ metadata }) => metadata.namespace === namespace);
  const versionsOf = (objects: readonly LiveObject[]): string =>
    within(objects)
      .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
      .join();
  let objects: readonly LiveObject[] = [];
  const isSettled = async (): Promise<boolean> => {
    const before = versionsOf(objects);
    ({ objects } = await readLive(api, { kinds, namespaces: [namespace] }));
    return before === versionsOf(objects) && within(objects).every(isAtRest);
  };
  await waitFor(`rest in ${namespace}`, isSettled, { pollMs: 500 });
  return objects;
};

/** Plans a change of the existing objects, and makes it. */
const foretold = async (change: PlannedChange, make: () => Promise<unknown>): Promise<Foretold> => {
  const { namespace = '' } = change.object.metadata;
  const live = await settledIn(namespace);
  const drawn = drawnIn(live);
  const before = (await writesIn(namespace)).length;
  const now = Date.now();
  const plan = await planChange({ kinds, live, changes: [change], now, horizonMs: HORIZON_MS });
  expect(plan.changes).toMatchObject([{ outcome: 'configured' }]);
  await make();
  return {
    namespace,
    plan,
    first: plan.writes.map(plannedWrite(drawn)),
    sequence: (plan.sequence ?? []).map(plannedWrite(drawn)),
    done: async () => (await writesIn(namespace)).slice(before).map(loggedWrite(drawn)),
  };
};

/** Waits until the writes are equal to the planned ones, and shows the difference if they are not in time. */
const expectSame = async (done: () => Promise<unknown>, planned: unknown): Promise<void> => {
  let seen: unknown;
  const isSame = async (): Promise<boolean> => isDeepStrictEqual((seen = await done()), planned);
  await waitFor('what was planned', isSame, { pollMs: 200 }).catch(() => undefined);
  expect(seen).toEqual(planned);
};

/**
 * The log holds objects created by POST with the defaults of the API server: more than what is sent, less than what is
 * stored.
 */
const expectBetween = (logged: unknown, { body, object }: PlannedWrite): void => {
  const { metadata, status: _status, ...rest } = logged as Readonly<Record<'metadata', JsonObject>> & JsonObject;
  const { creationTimestamp: _time, ...own } = metadata;
  expect(body).toBeDefined();
  expect(logged).toMatchObject(body as JsonObject);
  expect(object).toMatchObject({ ...rest, metadata: own });
};

const childrenOf = (writes: readonly PlannedWrite[]): readonly PlannedWrite[] =>
  writes.filter(({ subresource }) => subresource === undefined);

const bare = ({ body, ...write }: PlainWrite): PlainWrite => ({ ...write, body: write.verb === 'create' ? '' : body });

const idOf = ({ verb, resource, name }: Pick<PlainWrite, 'verb' | 'resource' | 'name'>): string =>
  `${verb} ${resource} ${name}`;

/** The writes of one pass are sent concurrently. */
const sorted = <W extends Parameters<typeof idOf>[0]>(writes: readonly W[]): readonly W[] =>
  writes.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));

/**
 * The first writes of children are the planned ones, with the same bodies; `count` excludes those that other
 * controllers influence.
 */
const expectFirst = async ({ plan, first, done }: Foretold, count = childrenOf(plan.writes).length): Promise<void> => {
  const children = sorted(first.filter(isOfChild).slice(0, count));
  const ofChildren = async () => sorted((await done()).filter(isOfChild).slice(0, count));
  await expectSame(async () => (await ofChildren()).map(bare), children.map(bare));
  const made = await ofChildren();
  for (const [index, write] of sorted(childrenOf(plan.writes).slice(0, count)).entries())
    if (write.verb === 'create') expectBetween(made[index]?.body, write);
};

/** Checks to run after the other tests, for plans that are executed to their end. */
const later: (() => Promise<{ readonly made: unknown; readonly planned: unknown }>)[] = [];

/** Expects that everything planned within the horizon happens, in order, and nothing else. */
const expectCourse = async ({ namespace, sequence, done }: Foretold): Promise<void> => {
  const planned = courseOf(sequence);
  expect(planned.length).toBeGreaterThan(1);
  await expectSame(async () => courseOf(await done()), planned);
  later.push(async () => {
    await settledIn(namespace);
    return { made: courseOf(await done()), planned };
  });
};

const apply = (object: LiveObject) => async (): Promise<unknown> => kubectl(['apply', '-f', '-'], object);

const applied = async (object: LiveObject): Promise<Foretold> => foretold({ verb: 'apply', object }, apply(object));

const setIn = (namespace: string, replicas: number, image: string): LiveObject => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name: 'web', namespace },
  spec: {
    replicas,
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
});

const deployerIn = (namespace: string, version: string, sleep: number): LiveObject => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'Deployer',
  metadata: { name: 'nginx', namespace },
  spec: {
    type: 'canary',
    deployment: { name: 'nginx', image: 'nginx', version, replicas: 10 },
    steps: [{ percent: 60, sleep }, { percent: 100 }],
  },
});

const immortalIn = (namespace: string): LiveObject => ({
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  metadata: { name: 'web', namespace },
  spec: { image: 'nginx:latest' },
});

const isHealthy = ({ phase, stableVersion }: Status): boolean => phase === 'Healthy' && stableVersion === '1.7.7';

const isSleeping = ({ phase, sleepUntil }: Status): boolean => phase === 'Progressing' && sleepUntil !== undefined;

describe('a plan on a real control plane is what the operator writes then, word by word', () => {
  it('when a PodSet is scaled', async () => {
    const namespace = await plane.createNamespace('plan-scale');
    const small = setIn(namespace, 2, 'web:1');
    await apply(small)();
    await reaches(small, 'ready', ({ readyReplicas }) => readyReplicas === 2);
    const both = await applied(setIn(namespace, 4, 'web:1'));
    expect(both.first.filter(isOfChild).map(({ verb }) => verb)).toEqual(['create', 'create']);
    await expectFirst(both);
  });

  // After the first writes the kubelet influences the course: when a pod becomes ready, another one may be deleted.
  it('when the template of a PodSet changes, until others move', async () => {
    const namespace = await plane.createNamespace('plan-template');
    const old = setIn(namespace, 3, 'web:1');
    await apply(old)();
    await reaches(old, 'ready', ({ readyReplicas }) => readyReplicas === 3);
    const both = await applied(setIn(namespace, 3, 'web:2'));
    expect(both.first.filter(isOfChild).map(({ resource }) => resource)).toEqual(['controllerrevisions', 'pods']);
    await expectFirst(both, 2);
  });

  it('when a Deployer goes from 1.7.7 to 1.7.8, to the end', async () => {
    const namespace = await plane.createNamespace('plan-deployer');
    const old = deployerIn(namespace, '1.7.7', 2);
    await apply(old)();
    await reaches(old, 'healthy', isHealthy);
    const both = await applied(deployerIn(namespace, '1.7.8', 2));
    expect(both.sequence.findLast(isOfChild)).toMatchObject({ verb: 'delete', name: 'nginx-1.7.7' });
    await expectCourse(both);
  });

  it('when a Deployer is set back to 1.7.7 at 60 % of 1.7.8, to the end', async () => {
    const namespace = await plane.createNamespace('plan-revert');
    const old = deployerIn(namespace, '1.7.7', 3600);
    await apply(old)();
    await reaches(old, 'healthy', isHealthy);
    await apply(deployerIn(namespace, '1.7.8', 3600))();
    await reaches(old, 'at 60 %', isSleeping);
    const both = await applied(old);
    expect(both.sequence.findLast(isOfChild)).toMatchObject({ verb: 'delete', name: 'nginx-1.7.8' });
    await expectFirst(both, 2);
    await expectCourse(both);
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
    const both = await foretold({ verb: 'status', object: { ...body, status } }, crash);
    expect(both.first.filter(isOfChild).length).toBeGreaterThan(0);
    await expectFirst(both);
  });
});

describe('the operator of these plans', () => {
  it('has written nothing more', async ({ skip }) => {
    skip(later.length === 0, 'no course was played to its end');
    for (const seen of later) {
      const { made, planned } = await seen();
      expect(made).toEqual(planned);
    }
  });

  it('has recorded passes that are all replayed with the answer of then', async () => {
    const seen = setIn(await plane.createNamespace('plan-recorded'), 2, 'web:1');
    await apply(seen)();
    await reaches(seen, 'ready', ({ readyReplicas }) => readyReplicas === 2);
    expect(await operator.stop()).toBe(0);
    const line = `replay ${join(folder, 'passes.jsonl')} --config ${join(repository, 'reconcile.config.ts')}`;
    const { code, stdout, stderr } = await ran(line);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^[1-9]\d* passes replayed, 0 with another answer than recorded\.\n$/);
    expect(code).toBe(0);
  });
});
