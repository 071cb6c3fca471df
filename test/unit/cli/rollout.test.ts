import { beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { guardedPatch } from '#lib/cli/verbs/rollout/edits.ts';
import { prepareSteering, steerByPatch } from '#lib/cli/verbs/rollout/steer.ts';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject, ApiResource } from '#lib/kube/interface/api.ts';
import { ran, recordingContext } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const group = 'deploy.example.com/v1alpha1';
const rollouts: ApiResource = {
  apiVersion: group,
  kind: 'CanaryRollout',
  plural: 'canaryrollouts',
  scope: 'Namespaced',
};
const deployers: ApiResource = { apiVersion: group, kind: 'Deployer', plural: 'deployers', scope: 'Namespaced' };
const web = { namespace: 'default', name: 'web' };
const dep = { namespace: 'default', name: 'dep' };
const write = { type: 'merge', fieldManager: 'test' } as const;

const templateOf = (tag: string) => ({ spec: { containers: [{ name: 'web', image: `nginx:${tag}` }] } });
const steps = [{ percent: 50, pause: true }, { percent: 100 }];

/** A server that ends its watches at once. */
const watch: Cluster['api']['watch'] = async () => undefined;

/** A cluster in which an operator answers before the command reads again. */
const answering = (virtual: VirtualCluster): Cluster => ({
  ...virtual.cluster,
  api: {
    ...virtual.api,
    patch: async (...args) => {
      const patched = await virtual.api.patch(...args);
      await virtual.rest();
      return patched;
    },
  },
});

let virtual: VirtualCluster;
let cluster: Cluster;
const rollout = (line: string, more: object = {}) => ran(`rollout ${line}`, { ...virtual, cluster, ...more });
const statusOf = async (): Promise<Record<string, unknown>> =>
  (await virtual.api.get(rollouts, web))['status'] as Record<string, unknown>;

/** The error of a line that cannot be carried out. */
const say = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await rollout(line);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
};

beforeAll(async () => {
  virtual = await virtualCluster((user) => {
    const metadata = { name: 'web', namespace: 'default' };
    const spec = { replicas: 2, template: templateOf('1'), steps };
    user.create(
      { apiVersion: group, plural: rollouts.plural },
      { apiVersion: group, kind: 'CanaryRollout', metadata, spec },
    );
    const deployment = { name: 'shop', image: 'nginx', version: '1.7.7', labels: { team: 'a' }, replicas: 1 };
    user.create(
      { apiVersion: group, plural: deployers.plural },
      { apiVersion: group, kind: 'Deployer', metadata: { ...metadata, name: 'dep' }, spec: { deployment, steps } },
    );
    const podSets = { apiVersion: 'app.example.com/v1alpha1', plural: 'podsets' };
    user.create(podSets, {
      apiVersion: podSets.apiVersion,
      kind: 'PodSet',
      metadata: { ...metadata, name: 'plain' },
      spec: { replicas: 1, template: templateOf('1') },
    });
  });
  cluster = answering(virtual);
});

describe('rollout', () => {
  it('prepares a command without a write, and then writes only the prepared edits', async () => {
    const { context } = recordingContext({ ...virtual, cluster });
    const command = { verb: 'pause', wait: 15 } as const;
    const { edits, says, uid } = await prepareSteering(context, 'crollout/web', command);
    expect([edits, says]).toEqual([[{ path: ['spec', 'paused'], value: true }], expect.stringContaining('paused')]);
    expect(await virtual.api.get(rollouts, web)).not.toMatchObject({ spec: { paused: true } });
    const other = [{ path: ['spec', 'paused'], value: 'other' }];
    for (const expected of [
      { edits: other, uid },
      { edits, uid: 'another' },
    ])
      await expect(steerByPatch(context, 'crollout/web', { ...command, expected })).rejects.toThrow(
        'it has changed, and other fields would be written now; look again',
      );
    expect(await virtual.api.get(rollouts, web)).not.toMatchObject({ spec: { paused: true } });
  });

  it('status ends with 0 when the resource has arrived', async () => {
    expect(await rollout('status crollout/web')).toEqual({
      code: 0,
      stderr: '',
      stdout: 'CanaryRollout/web NewVersionAvailable: 2 of 2 pods of version 6xbgt7ctdk are available\n',
    });
    expect((await rollout('status podset/plain -o table')).stdout).toBe(
      'NAME           STATE   REASON      MESSAGE\nPodSet/plain   done    PodsReady   1 of 1 pods are ready\n',
    );
  });

  it('refuses what does not fit the moment, and kinds without rollouts', async () => {
    expect(await say('promote crollout/web')).toBe(
      'cdk8s-reconcile: Cannot promote crollout/web: no rollout is under way\n',
    );
    expect(await say('abort crollout/web')).toContain('no rollout is under way');
    expect(await say('retry crollout/web')).toContain('no version was aborted');
    expect(await say('undo crollout/web')).toContain('there is no version before this one');
    expect(await say('pause podset/plain')).toBe(
      'cdk8s-reconcile: Cannot pause podset/plain: PodSet has no rollouts in steps; edit its spec, and see cdk8s-reconcile rollout status podset/plain\n',
    );
    expect(await say('pause deploy/web')).toMatch(/Cannot steer a Deployment: .* there is kubectl rollout\n$/);
  });

  it('pauses and resumes by spec.paused, once', async () => {
    expect((await rollout('pause crollout/web')).stdout).toBe('CanaryRollout/web is paused\n');
    expect(await virtual.api.get(rollouts, web)).toMatchObject({ spec: { paused: true } });
    const { resourceVersion } = (await virtual.api.get(rollouts, web)).metadata;
    expect((await rollout('pause crollout/web')).stdout).toBe('CanaryRollout/web is already paused\n');
    expect((await virtual.api.get(rollouts, web)).metadata.resourceVersion).toBe(resourceVersion);
    expect((await rollout('resume crollout/web')).stdout).toBe('CanaryRollout/web is going on\n');
    expect(await virtual.api.get(rollouts, web)).toMatchObject({ spec: { paused: false } });
  });

  it('promotes, aborts, retries and undoes', async () => {
    await virtual.api.patch(rollouts, web, { spec: { template: templateOf('2') } }, write);
    await virtual.rest();
    expect(await statusOf()).toMatchObject({ phase: 'Paused' });
    const waiting = await rollout('status crollout/web --no-watch');
    expect(waiting).toMatchObject({ code: 0 });
    expect(waiting.stdout).toMatch(
      /^CanaryRollout\/web RolloutPaused \(step 1\/2\): .* waits for a person \(StepPause\)/,
    );
    expect((await rollout('abort crollout/web')).stdout).toBe('CanaryRollout/web abort: RolloutAborted\n');
    expect(await statusOf()).toMatchObject({ phase: 'Degraded' });
    const failed = await rollout('status crollout/web');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^cdk8s-reconcile: CanaryRollout\/web RolloutAborted: .*was given up \(Commanded\)/);
    expect((await rollout('retry crollout/web')).stdout).toBe('CanaryRollout/web retry: RolloutRestarted\n');
    expect((await rollout('promote crollout/web')).stdout).toBe('CanaryRollout/web promote: StepPromoted\n');
    expect(await statusOf()).toMatchObject({ phase: 'Healthy' });
    const { stdout } = await rollout('undo crollout/web');
    expect(stdout).toBe('CanaryRollout/web asks for version 6xbgt7ctdk again\n');
    expect(await virtual.api.get(rollouts, web)).toMatchObject({ spec: { template: templateOf('1') } });
    expect((await rollout('promote crollout/web --full')).stdout).toBe(
      'CanaryRollout/web promote-full: FullPromotion\n',
    );
    expect((await rollout('undo crollout/web --to nonsense')).stderr).toMatch(
      /there is no version "nonsense"; known are \w{10}, \w{10}\n$/,
    );
  });

  it('writes image, version and labels of a Deployer as they were', async () => {
    const deployment = { version: '1.7.8', image: 'other/nginx', labels: { team: 'b' } };
    await virtual.api.patch(deployers, dep, { spec: { deployment } }, write);
    await virtual.rest();
    expect((await rollout('undo deployer/dep')).stdout).toBe('Deployer/dep asks for version 1.7.7 again\n');
    expect(await virtual.api.get(deployers, dep)).toMatchObject({
      spec: { deployment: { version: '1.7.7', image: 'nginx', labels: { team: 'a' } } },
    });
  });

  it.for(['text', 'table', 'json', 'yaml'])('status -o %s waits until the resource has arrived', async (format) => {
    let looks = 0;
    const get: Cluster['api']['get'] = async (...args) => {
      const object = await virtual.api.get(...args);
      looks += 1;
      return looks > 1
        ? object
        : { ...object, metadata: { ...object.metadata, generation: -1 } as ApiObject['metadata'] };
    };
    const waiting = { ...virtual.cluster, api: { ...virtual.api, get, watch } };
    const line = `status podset/plain --timeout 10m -o ${format}`;
    const { code, stdout, stderr } = await rollout(line, { cluster: waiting });
    expect({ code, stderr, looks }).toEqual({ code: 0, stderr: '', looks: 2 });
    expect(stdout).toMatch(/1 of 1 pods are ready/);
  });

  it.for(['text', 'table', 'json', 'yaml'])('status -o %s ends with 1 when time is up', async (format) => {
    const get: Cluster['api']['get'] = async (...args) => {
      const object = await virtual.api.get(...args);
      return { ...object, metadata: { ...object.metadata, generation: -1 } as ApiObject['metadata'] };
    };
    const cluster = { ...virtual.cluster, api: { ...virtual.api, get } };
    const { code, stdout, stderr } = await rollout(`status podset/plain --timeout 0 -o ${format}`, { cluster });
    expect(code).toBe(1);
    expect(stdout).toContain('NotObserved');
    expect(stderr).toContain('PodSet/plain has not arrived after 0 s');
    expect(await rollout(`status podset/plain --no-watch -o ${format}`, { cluster })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('says when the operator does not answer', async () => {
    await virtual.api.patch(rollouts, web, { spec: { template: templateOf('3') } }, write);
    await virtual.rest();
    const { code, stdout, stderr } = await rollout('abort crollout/web --wait 0', { cluster: virtual.cluster });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      'CanaryRollout/web: "abort" was written, but no operator has answered in 0 s; it takes effect',
    );
    await virtual.rest();
    expect(await statusOf()).toMatchObject({ phase: 'Degraded' });
    const paused = await rollout('pause crollout/web --wait 0', { cluster: virtual.cluster });
    expect(paused).toMatchObject({ code: 1, stderr: expect.stringContaining('"pause" was written, but no operator') });
    await virtual.rest();
    expect(await rollout('pause crollout/web --wait 0')).toMatchObject({ code: 0, stderr: '' });
    expect(await rollout('resume crollout/web')).toMatchObject({ code: 0, stderr: '' });
  });

  it('retries after a concurrent write', async () => {
    let writes = 0;
    const patch: Cluster['api']['patch'] = async (...args) => {
      writes += 1;
      if (writes === 1) await virtual.api.patch(rollouts, web, { metadata: { labels: { other: 'writer' } } }, write);
      return cluster.api.patch(...args);
    };
    const racing = { ...virtual.cluster, api: { ...virtual.api, patch } };
    expect(await rollout('pause crollout/web', { cluster: racing })).toMatchObject({ code: 0, stderr: '' });
    expect(writes).toBe(2);
    const message = 'podsets is forbidden';
    const denied = {
      ...racing.api,
      patch: () => {
        throw new ApiError('patch', { httpStatus: 403, reason: 'Forbidden', message });
      },
    };
    expect(await rollout('resume crollout/web', { cluster: { ...racing, api: denied } })).toMatchObject({ code: 1 });
  });

  it.for(['status crollout/web --timeout soon', 'promote crollout/web --full --skip', 'stop crollout/web'])(
    'does not understand "%s"',
    async (line) => {
      expect(await rollout(line)).toMatchObject({ code: 64, stdout: '' });
    },
  );
});

describe('guardedPatch()', () => {
  it('creates the path to a field, and names the replaced value and the new one', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'a', uid: 'u', resourceVersion: '7' },
      spec: {},
    } satisfies ApiObject;
    const edits = [
      { path: ['metadata', 'annotations', 'a.io/b~c'], value: '1' },
      { path: ['metadata', 'annotations', 'd'], value: '2' },
      { path: ['spec', 'on'], value: true },
    ];
    expect(guardedPatch(object, edits)).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'u' },
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/a.io~1b~0c', value: '1' },
      { op: 'add', path: '/metadata/annotations/d', value: '2' },
      { op: 'add', path: '/spec/on', value: true },
    ]);
  });
});
