import { beforeAll, describe, expect, it } from 'vitest';
import { kinds as ours } from '#apps/kinds.ts';
import { causesOf, warningsOf } from '#lib/cli/verbs/explain/causes.ts';
import { causesOfPod } from '#lib/cli/verbs/explain/pod.ts';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject, ApiResource } from '#lib/kube/interface/api.ts';
import { ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const podSets: ApiResource = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  plural: 'podsets',
  scope: 'Namespaced',
};
const pods: ApiResource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
const templateOf = (image: string) => ({ spec: { containers: [{ name: 'web', image }] } });

let virtual: VirtualCluster;
beforeAll(async () => {
  virtual = await virtualCluster((user) => {
    for (const name of ['web', 'bad', 'broken']) {
      const spec = { replicas: 1, template: templateOf(`nginx:${name}`) };
      const metadata = { name, namespace: 'default' };
      user.create(podSets, { apiVersion: podSets.apiVersion, kind: 'PodSet', metadata, spec });
    }
  });
});

const explain = async (line: string, more: object = {}) => {
  const result = await ran(`explain ${line}`, { ...virtual, ...more });
  return { ...result, stdout: result.stdout.replaceAll(/(Pod[ /]\w+-)[a-z0-9]{5}\b/g, '$1xxxxx') };
};

/** Reports as a kubelet that the image of a pod cannot be pulled. */
const spoil = async (name: string): Promise<void> => {
  const { items } = await virtual.api.list(pods, { namespace: 'default' });
  const pod = items.find(({ metadata }) => metadata.name.startsWith(`${name}-`));
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
  const status = {
    conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'containers: [web]' }],
    containerStatuses: [
      { name: 'web', image: `nginx:${name}`, imageID: '', ready: false, restartCount: 0, state: { waiting } },
    ],
  };
  const target = { namespace: 'default', name: pod?.metadata.name ?? '' };
  await virtual.api.patchStatus(pods, target, { status }, { fieldManager: 'kubelet' });
};

const member = (name: string, namespace?: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: name, resourceVersion: '1', ...(namespace !== undefined && { namespace }) },
});

describe('explain', () => {
  it('says that all is well, and that nothing would be done', async () => {
    const { code, stdout, stderr } = await explain('podset/web');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(`\n${stdout}`).toBe(`
PodSet/web is ready: 1 of 1 pods are ready

The operator would now:
  nothing: all children are up to date
`);
  });

  it('goes down to the container that holds everything up, and says what to do', async () => {
    await spoil('bad');
    const { stdout } = await explain('podset/bad');
    expect(stdout).toContain(
      '  Pod/bad-xxxxx: the image nginx:bad of container web cannot be pulled: Back-off pulling image\n',
    );
    expect(stdout).toMatch(/\nNext:\n(?: {2}.*\n)* {2}correct the name of the image, or give the pod a pull secret\n$/);
    const narrow = await explain('podset/bad', { isTerminal: true, columns: 40, env: { NO_COLOR: '1' } });
    const long = narrow.stdout.split('\n').filter((line) => line.length > 40);
    // Longer words are on lines of their own.
    expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
    const { causes, next } = JSON.parse((await explain('podset/bad -o json')).stdout) as Record<string, unknown[]>;
    expect(causes?.at(-1)).toMatchObject({ where: expect.stringMatching(/^Pod\/bad-/) as string });
    expect(next).toContain('correct the name of the image, or give the pod a pull secret');
  });

  it('shows the last warnings about the object and its children', async () => {
    const { items } = await virtual.api.list(pods, { namespace: 'default' });
    const pod = items.find(({ metadata }) => metadata.name.startsWith('broken-'));
    const { name, namespace, uid } = pod?.metadata ?? { name: '', namespace: '', uid: '' };
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'one' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off restarting failed container',
      lastTimestamp: new Date(virtual.now() - 60_000).toISOString().replace(/\.\d+/, ''),
    };
    const resource = { apiVersion: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;
    const write = { fieldManager: 'test', namespace: 'default' };
    await virtual.api.create(resource, event, write);
    await virtual.api.create(resource, { ...event, metadata: { name: 'two' }, type: 'Normal' }, write);
    const { stdout } = await explain('podset/broken');
    expect(stdout).toMatch(
      /\nWarnings:\n {2}6\ds ago, Pod\/broken-xxxxx: BackOff: Back-off restarting failed container\n\n/,
    );
  });

  it('shows warnings about children in other namespaces, and reports a namespace whose events it may not read', async () => {
    const events = { apiVersion: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;
    const { api } = await virtualCluster((user) => {
      for (const namespace of ['default', 'team']) {
        if (namespace !== 'default')
          user.create(
            { apiVersion: 'v1', plural: 'namespaces' },
            { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
          );
        const involvedObject = { kind: 'Thing', uid: namespace, namespace };
        const body = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'one', namespace }, involvedObject };
        user.create(events, { ...body, type: 'Warning', reason: 'Failed', message: 'no' });
      }
    });
    const list: typeof api.list = async (resource, options) => {
      if (options?.namespace !== 'closed') return api.list(resource, options);
      throw new ApiError('list events', { httpStatus: 403, reason: 'Forbidden', message: 'no right' });
    };
    const unread: string[] = [];
    const members = [member('default'), member('closed', 'closed'), member('team', 'team')];
    const warnings = await warningsOf({ list }, members, ({ message }) => unread.push(message));
    expect(warnings.map(({ where }) => where).toSorted()).toEqual(['Thing/default', 'Thing/team']);
    expect(unread).toEqual([expect.stringContaining('no right')]);
  });

  it('says that no operator has looked', async () => {
    const still = await virtualCluster(() => undefined, { isStill: true });
    const body = {
      apiVersion: podSets.apiVersion,
      kind: 'PodSet',
      metadata: { name: 'new' },
      spec: { replicas: 2, template: templateOf('a') },
    };
    await still.api.create(podSets, body, { namespace: 'default', fieldManager: 'test' });
    const { stdout } = await explain('podset/new', still);
    expect(stdout).toContain('PodSet/new: no operator has looked at it yet');
    expect(stdout).toMatch(
      /The operator would now:\n {2}create Pod new-xxxxx \(Missing\)\n(?: {2}.*\n)? {2}create ControllerRevision new-/,
    );
    expect(stdout).toContain('see whether its operator works: cdk8s-reconcile doctor');
  });
});

/** The causes of a resource that its operator reports as stalled with a reason. */
const stalledBy = (reason: string) => {
  const condition = { type: 'Ready', status: 'False', reason, message: 'why', observedGeneration: 1 };
  const conditions = [condition, { ...condition, type: 'Stalled', status: 'True' }];
  const { metadata, ...rest } = member('a', 'n');
  const object = { ...rest, metadata: { ...metadata, generation: 1 }, status: { conditions } };
  const resource = { ...podSets, words: [], owns: [], ...(ours[0] && { definition: ours[0] }) };
  return causesOf({ object, resource, children: [] });
};

describe('causesOf()', () => {
  it.for([
    ['UnknownPlan', /^change the spec of the resource as the message requires, or correct the function of the kind$/],
    ['NeverSettles', /^correct the function of the kind: remove counters, random values and the current time/],
    ['constructor', /^change the spec/],
  ] as const)('causesOf() names the next step when a resource is stalled with the reason %s', ([reason, next]) => {
    expect(stalledBy(reason)).toEqual([
      {
        where: 'Thing/a',
        why: `it cannot go on by itself: ${reason}: why`,
        next: expect.stringMatching(next) as string,
      },
    ]);
  });
});

const pod = (status: object, more: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', ...more },
  spec: { containers: [{ name: 'web', image: 'nginx' }] },
  status,
});
const waiting = (reason: string, { message = '', ...more }: { message?: string; lastState?: object } = {}) => ({
  containerStatuses: [{ name: 'web', restartCount: 4, state: { waiting: { reason, message } }, ...more }],
});
const runtimeSays = 'exec: "nosuch": executable file not found in $PATH';
const lastEnd = (reason: string) => ({ terminated: { exitCode: 128, reason, message: runtimeSays } });

describe('causesOfPod()', () => {
  const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' };

  it.for([
    [pod(waiting('CrashLoopBackOff')), /ends again and again \(4 restarts\)/, /kubectl -n n logs a -c web --previous/],
    [
      pod(waiting('CrashLoopBackOff', { lastState: lastEnd('Error') })),
      /again \(4 restarts\), the last time with exit code 128 \(Error\)/,
      /--previous/,
    ],
    [
      pod(waiting('CrashLoopBackOff', { lastState: lastEnd('StartError') })),
      /container web cannot be started: exec: "nosuch"/,
      /correct its command/,
    ],
    [pod(waiting('RunContainerError', { message: runtimeSays })), /cannot be started: exec/, /correct its command/],
    [pod(waiting('CreateContainerError', { message: 'no such device' })), /cannot be created: no such/, /volumes/],
    [pod(waiting('InvalidImageName')), /image nginx of container web has no valid name/, /correct the name/],
    [
      pod(waiting('CreateContainerConfigError', { message: 'container has runAsNonRoot and image will run as root' })),
      /may not run as root: container has runAsNonRoot/,
      /runAsUser/,
    ],
    [pod(waiting('CreateContainerConfigError')), /refers to something that is not there/, /ConfigMap or Secret/],
    [pod({ conditions: [unscheduled] }), /no node takes it: 0\/1 nodes/, /add nodes/],
    [pod({ phase: 'Running' }), /a readiness probe does not succeed yet/, /describe pod a/],
    [pod({ phase: 'Failed', reason: 'Evicted' }), /it has failed: Evicted/, /logs a/],
    [pod({ phase: 'Pending' }), /it is pending/, /wait/],
    [pod({}, { deletionTimestamp: 'now' }), /it is being deleted/, /wait/],
    [
      pod({ containerStatuses: [{ name: 'web', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }] }),
      /more memory than its limit/,
      /limits\.memory/,
    ],
  ] as const)('words a pod that is not ready (%#)', ([object, why, next]) => {
    const [cause] = causesOfPod(object);
    expect(cause).toMatchObject({ where: 'Pod/a' });
    expect(cause?.why).toMatch(why);
    expect(cause?.next).toMatch(next);
  });
});
