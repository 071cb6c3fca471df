import { beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { ApiError, ConnectionError } from '#lib/errors.ts';
import { ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const podSets = { apiVersion: 'app.example.com/v1alpha1', plural: 'podsets' };
const rollouts = { apiVersion: 'deploy.example.com/v1alpha1', plural: 'canaryrollouts' };
const template = { spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] } };

let virtual: VirtualCluster;
beforeAll(async () => {
  virtual = await virtualCluster((user) => {
    const metadata = { name: 'web', namespace: 'default' };
    user.create(podSets, { apiVersion: podSets.apiVersion, kind: 'PodSet', metadata, spec: { replicas: 2, template } });
    user.create(rollouts, {
      apiVersion: rollouts.apiVersion,
      kind: 'CanaryRollout',
      metadata: { ...metadata, name: 'shop' },
      spec: { replicas: 2, template },
    });
  });
});

/** Removes the random ends of names of pods. */
const tree = async (line: string, more: object = {}) => {
  const result = await ran(`tree ${line}`, { ...virtual, ...more });
  return { ...result, stdout: result.stdout.replaceAll(/(Pod\/\S+-)[a-z0-9]{5}(?=\s)/g, '$1xxxxx') };
};

describe('tree', () => {
  it('shows a resource and its children', async () => {
    const { code, stdout, stderr } = await tree('podset/web');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(`\n${stdout}`).toBe(`
NAME                                  READY   REASON      AGE   MESSAGE
PodSet/web                            True    PodsReady   0s    2 of 2 pods are ready
├─Pod/web-xxxxx                       1/1     Running     0s
├─Pod/web-xxxxx                       1/1     Running     0s
└─ControllerRevision/web-tg2cmf75qh   -                   0s
`);
  });

  it('goes on through Deployment and ReplicaSet to the pods', async () => {
    const { stdout } = await tree('crollout/shop');
    expect(`\n${stdout}`).toBe(`
NAME                                         READY   REASON                AGE   MESSAGE
CanaryRollout/shop                           True    NewVersionAvailable   0s    2 of 2 pods of version tg2cmf75qh are available
├─ControllerRevision/shop-tg2cmf75qh         -                             0s
└─Deployment/shop-tg2cmf75qh                 2/2                           0s
  └─ReplicaSet/shop-tg2cmf75qh-6f5484b7bb    2/2                           0s
    ├─Pod/shop-tg2cmf75qh-6f5484b7bb-xxxxx   1/1     Running               0s
    └─Pod/shop-tg2cmf75qh-6f5484b7bb-xxxxx   1/1     Running               0s
`);
  });

  it('fits a terminal of 40 columns', async () => {
    const { stdout } = await tree('crollout/shop', { columns: 40, isTerminal: true });
    expect(Math.max(...stdout.split('\n').map((line) => Array.from(line).length))).toBeLessThanOrEqual(40);
    expect(`\n${stdout}`).toBe(`
NAME                               READY
CanaryRollout/shop                 True
├─ControllerRevision/shop-tg2cm…   -
└─Deployment/shop-tg2cmf75qh       2/2
  └─ReplicaSet/shop-tg2cmf75qh-…   2/2
    ├─Pod/shop-tg2cmf75qh-6f548…   1/1
    └─Pod/shop-tg2cmf75qh-6f548…   1/1
`);
  });

  it('is data for programs', async () => {
    const { stdout } = await tree('podset/web -o json');
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'PodSet',
      name: 'web',
      isReady: true,
      children: [
        { kind: 'Pod', ready: '1/1', isReady: true, children: [] },
        { kind: 'Pod', isReady: true },
        { kind: 'ControllerRevision', ready: '-' },
      ],
    });
  });

  it('prints a line for every change, and ends when the object is gone or with Ctrl-C', async () => {
    const own = await virtualCluster((user) => {
      const metadata = { name: 'web', namespace: 'default' };
      user.create(podSets, {
        apiVersion: podSets.apiVersion,
        kind: 'PodSet',
        metadata,
        spec: { replicas: 1, template },
      });
    });
    const interrupt = new AbortController();
    const lines: string[] = [];
    const seen: ((text: string) => void)[] = [];
    const stdout = {
      write: (text: string) => {
        lines.push(text);
        for (const look of seen.splice(0)) look(text);
      },
    };
    const until = (word: string) =>
      new Promise<void>((done) => {
        const look = (): void => (lines.some((line) => line.includes(word)) ? done() : void seen.push(look));
        look();
      });
    const running = ran('tree podset/web --watch', { ...own, stdout, signal: interrupt.signal });
    await until('Pod/web-');
    const [pod] = own.server.objects({ group: '', plural: 'pods' });
    const target = { namespace: 'default', name: pod?.metadata.name ?? '' };
    const resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
    await own.api.delete(resource, target, { uid: pod?.metadata.uid ?? '' });
    await until('Terminating');
    interrupt.abort();
    expect(await running).toMatchObject({ code: 0, stderr: '' });
    expect(lines[0]).toMatch(/^2026-\S+Z {2}PodSet\/web {2}True {2}/);
  });

  it('watches nothing from before its first look, as an API server forgets what was long ago', async () => {
    const interrupt = new AbortController();
    const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
    const { resourceVersion: now } = await virtual.api.list(pods, { namespace: 'default' });
    const begun = new Map<string, boolean>();
    const watch: typeof virtual.api.watch = async ({ plural }, { resourceVersion, signal }) => {
      begun.set(plural, Number(resourceVersion) >= Number(now));
      if (begun.size === 3) interrupt.abort();
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
    };
    const cluster = { ...virtual.cluster, api: { ...virtual.api, watch } };
    await ran('tree podset/web --watch', { ...virtual, cluster, signal: interrupt.signal });
    expect(Object.fromEntries(begun)).toEqual({ podsets: true, pods: true, controllerrevisions: true });
  });

  it.for([
    ['podst/web', 'Unknown kind "podst"; did you mean podset?; known are AppService, '],
    ['web', 'Cannot parse "web": write <kind>/<name>, as in podset/web'],
    ['podset/gone', 'There is no PodSet gone in the namespace default; see kubectl get podsets -A'],
  ])('says of "%s" what is wrong', async ([word = '', message = '']) => {
    const { code, stdout, stderr } = await tree(word);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`cdk8s-reconcile: ${message}`);
  });

  it('says that the kind is not installed', async () => {
    const other = await virtualCluster(() => undefined, { kinds: [podSet], isStill: true });
    expect(await tree('crollout/web', other)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'cdk8s-reconcile: The cluster does not serve canaryrollouts of deploy.example.com/v1alpha1: its CustomResourceDefinition is missing; install it; cdk8s-reconcile doctor checks the rest\n',
    });
  });

  it('words what the cluster refuses, and that it cannot be reached', async () => {
    const { cluster } = virtual;
    const refusing = (error: Error) => ({
      ...cluster,
      api: {
        ...cluster.api,
        get: () => {
          throw error;
        },
      },
    });
    const forbidden = new ApiError('get podsets "default/web"', {
      httpStatus: 403,
      reason: 'Forbidden',
      message: 'podsets.app.example.com "web" is forbidden',
    });
    expect((await tree('podset/web', { cluster: refusing(forbidden) })).stderr).toBe(
      'cdk8s-reconcile: Cannot get podsets "default/web": podsets.app.example.com "web" is forbidden (403 Forbidden); ask for the right, or choose another user: --kubeconfig, --context\n',
    );
    const away = new ConnectionError('Cannot get podsets "default/web": connect ECONNREFUSED 127.0.0.1:1');
    const { code, stderr } = await tree('podset/web', { cluster: refusing(away) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/ECONNREFUSED 127\.0\.0\.1:1; see that the cluster is up and that the kubeconfig names/);
  });

  it('shows what may be seen when children may not be listed', async () => {
    const { cluster } = virtual;
    const message = 'pods is forbidden';
    const list = () => {
      throw new ApiError('list pods', { httpStatus: 403, reason: 'Forbidden', message });
    };
    const { code, stdout, stderr } = await tree('podset/web', {
      cluster: { ...cluster, api: { ...cluster.api, list } },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('PodSet/web');
    expect(stderr).toMatch(
      /^children of kind Pod are not shown: Cannot list pods: pods is forbidden \(403 Forbidden\)\nchildren of kind Con/,
    );
  });
});
