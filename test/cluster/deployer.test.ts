import { fileURLToPath } from 'node:url';
import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { classicStory, eventLinesIn, pausedStory } from './deployer-story.ts';
import { type RolloutServer, startRolloutServer } from './rollout-server.ts';

const manifest = fileURLToPath(new URL('../manifests/deployer.yaml', import.meta.url));

/** The sleeps of the classic manifest with SOAK, else short ones. */
const [first, second, third] = process.env['SOAK'] === undefined ? [6, 5, 5] : [60, 30, 30];

interface Status {
  readonly phase: string;
  readonly message: string;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  readonly stableVersion?: string;
  readonly canaryHash?: string;
  readonly abortReason?: string;
  readonly progress?: Readonly<Record<string, string>>;
  readonly analysis: readonly { readonly name: string; readonly phase: string; readonly message?: string }[];
}

let plane: ControlPlane;
let operator: OperatorProcess;
let server: RolloutServer;

const start = async (): Promise<void> => {
  const env = { METRIC_HOSTS: server.host, WEBHOOK_HOSTS: server.host, PROMETHEUS_URL: `http://${server.host}` };
  operator = await startInstalledOperator(plane, { env });
};

beforeAll(async () => {
  server = await startRolloutServer();
  plane = await startControlPlane();
  await installBundle(plane);
  await start();
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
  server?.stop();
});

const kubectl = async (namespace: string, args: readonly string[], input?: object): Promise<string> => {
  const options = input === undefined ? {} : { input: JSON.stringify(input) };
  const { code, stdout, stderr } = await plane.kubectl(['-n', namespace, ...args], options);
  expect(`${code} ${stderr.replaceAll(/^Warning: .*\n/gm, '')}`).toBe('0 ');
  return stdout;
};

const statusIn = async (namespace: string): Promise<Status | undefined> => {
  const path = `/apis/deploy.example.com/v1alpha1/namespaces/${namespace}/deployers/nginx`;
  return (await plane.request<{ status?: Status }>('GET', path)).body.status;
};

const reaches = async (namespace: string, what: string, isSo: (status: Status) => boolean): Promise<Status> => {
  let status: Status | undefined;
  const seen = async (): Promise<boolean> => {
    status = await statusIn(namespace);
    return status !== undefined && isSo(status);
  };
  await waitFor(what, seen, { pollMs: 100 });
  return status as Status;
};

/** The version is stable, and no other version has pods. */
const healthy =
  (version: string) =>
  ({ phase, stableVersion }: Status): boolean =>
    phase === 'Healthy' && stableVersion === version;

const listIn = async <O>(namespace: string, path: string): Promise<readonly O[]> =>
  (await plane.request<{ items: O[] }>('GET', path.replace('NAMESPACE', namespace))).body.items;

const sizesIn = async (namespace: string): Promise<Record<string, number>> => {
  const deployments = await listIn<KubeDeployment>(namespace, '/apis/apps/v1/namespaces/NAMESPACE/deployments');
  return Object.fromEntries(deployments.map(({ metadata, spec }) => [metadata?.name ?? '', spec?.replicas ?? 0]));
};

const isReady = ({ status }: KubePod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

/** Counts the pods that are not being deleted: the ready ones, and all of them. */
const countsIn = async (namespace: string): Promise<{ readonly ready: number; readonly all: number }> => {
  const pods = await listIn<KubePod>(namespace, '/api/v1/namespaces/NAMESPACE/pods');
  const living = pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  return { ready: living.filter(isReady).length, all: living.length };
};

const edit = async (namespace: string, spec: object): Promise<void> =>
  void (await kubectl(namespace, ['patch', 'dpl', 'nginx', '--type=merge', '-p', JSON.stringify({ spec })]));

/** Creates a Deployer of two pods in a namespace of its own, and waits until its first version runs. */
const deployed = async (prefix: string, spec: object): Promise<string> => {
  const namespace = await plane.createNamespace(prefix);
  const deployment = { name: 'nginx', image: 'nginx', version: '1', replicas: 2 };
  const metadata = { name: 'nginx', namespace };
  const resource = { apiVersion: 'deploy.example.com/v1alpha1', kind: 'Deployer', metadata };
  await kubectl(namespace, ['apply', '-f', '-'], { ...resource, spec: { deployment, ...spec } });
  await reaches(namespace, 'the first version', healthy('1'));
  return namespace;
};

/** Writes a URL into a Secret that the operator may read when effects are enabled. */
const hideUrl = async (namespace: string, url: string): Promise<void> => {
  const annotations = { 'cdk8s-reconcile/allowed-hosts': server.host };
  const secret = { metadata: { name: 'chat', annotations }, type: 'cdk8s-reconcile/http-credentials' };
  await kubectl(namespace, ['apply', '-f', '-'], { apiVersion: 'v1', kind: 'Secret', ...secret, stringData: { url } });
  await kubectl(namespace, ['create', 'role', 'secrets', '--verb=get', '--resource=secrets']);
  const account = `--serviceaccount=${OPERATOR}:${OPERATOR}`;
  await kubectl(namespace, ['create', 'rolebinding', 'secrets', '--role=secrets', account]);
};

/** A metric with a query of its own for each namespace, so that no test measures the pods of another. */
const measured = (rest: object = {}) => ({
  percent: 50,
  sleep: 3,
  metrics: [{ name: 'errors', query: 'errors{ns="{{namespace}}",v="{{canary}}"}', max: '0.5', intervalSeconds: 1 }],
  ...rest,
});

/** Waits until `kubectl describe` shows all parts of a story. @returns the parts that are missing at the end of the wait */
const missingOf = async (namespace: string, parts: readonly string[]): Promise<readonly string[]> => {
  let missing = parts;
  const isReported = async (): Promise<boolean> => {
    const lines = eventLinesIn(await kubectl(namespace, ['describe', 'dpl', 'nginx']));
    missing = parts.filter((part) => !lines.some((line) => line.startsWith(part)));
    return missing.length === 0;
  };
  await waitFor('the story', isReported, { pollMs: 1000, timeoutMs: 60_000 }).catch(() => undefined);
  return missing;
};

const query = (namespace: string): string => `errors{ns="${namespace}",v="2"}`;

describe('Deployer on a real control plane', () => {
  it('the classic manifest, applied as it is, goes from 1.7.7 to 1.7.8 by 1/9, 3/7, 6/4, 10/0', async () => {
    await kubectl('default', ['apply', '-f', manifest]);
    await reaches('default', '1.7.7', healthy('1.7.7'));
    const steps = [
      { percent: 10, sleep: first },
      { percent: 30, sleep: second },
      { percent: 60, sleep: third },
      { percent: 100 },
    ];
    await edit('default', { steps, deployment: { version: '1.7.8' } });
    const words = new Map<string, Record<string, number>>();
    const extremes = { ready: Infinity, all: 0 };
    await reaches('default', 'a step', ({ progress }) => progress?.['step'] !== undefined);
    await waitFor(
      '1.7.8',
      async () => {
        const [status, { ready, all }] = await Promise.all([statusIn('default'), countsIn('default')]);
        extremes.ready = Math.min(extremes.ready, ready);
        extremes.all = Math.max(extremes.all, all);
        const text = Object.values(status?.progress ?? {}).join(', ');
        if (!words.has(text) && status?.phase === 'Progressing') words.set(text, await sizesIn('default'));
        return status !== undefined && healthy('1.7.8')(status);
      },
      { pollMs: 50, timeoutMs: 290_000 },
    );
    expect(Object.fromEntries(words)).toEqual({
      [`10% has been deployed, no. 1, ${first}s till next step`]: { 'nginx-1.7.7': 9, 'nginx-1.7.8': 1 },
      [`30% has been deployed, no. 2, ${second}s till next step`]: { 'nginx-1.7.7': 7, 'nginx-1.7.8': 3 },
      [`60% has been deployed, no. 3, ${third}s till next step`]: { 'nginx-1.7.7': 4, 'nginx-1.7.8': 6 },
    });
    expect(extremes.ready).toBeGreaterThanOrEqual(10);
    expect(extremes.all).toBeLessThanOrEqual(13);
    expect(await sizesIn('default')).toEqual({ 'nginx-1.7.8': 10 });
    expect((await statusIn('default'))?.progress).toEqual({ percentage: '100% has been deployed', step: 'no. 4' });
    expect(await missingOf('default', classicStory)).toEqual([]);
  });

  it('a rollout whose checks pass is reported in events, retries a hook under one key, and repeats no hook after a restart', async () => {
    const url = `http://${server.host}`;
    const namespace = await deployed('checked', {
      steps: [measured({ sleep: 8, webhooks: [{ name: 'load', type: 'Step', url: `${url}/load` }] })],
      webhooks: [{ name: 'smoke', type: 'Pre', url: `${url}/smoke`, retries: 5 }],
    });
    await hideUrl(namespace, `${url}/chat`);
    server.values.set(query(namespace), '0.5');
    server.answers.set('/smoke', [503, 503]);
    await edit(namespace, { deployment: { version: '2' }, notify: [{ type: 'Slack', secretName: 'chat' }] });
    await reaches(namespace, 'the hook to be recorded', ({ analysis }) =>
      analysis.some(({ name, phase }) => name === 'load' && phase === 'Passed'),
    );
    await operator.stop();
    await start();
    await reaches(namespace, 'version 2', healthy('2'));
    expect(server.to('/load')).toHaveLength(1);
    expect(server.to('/smoke')).toHaveLength(3);
    expect(new Set(server.to('/smoke').map(({ key }) => key)).size).toBe(1);
    expect(JSON.parse(server.to('/load')[0]?.body ?? '{}')).toMatchObject({
      namespace,
      name: 'nginx',
      type: 'Step',
      step: 0,
      percent: 50,
      stableVersion: '1',
      canaryVersion: '2',
    });
    const texts = (): readonly string[] =>
      server.to('/chat').map(({ body }) => (JSON.parse(body) as { text: string }).text);
    await waitFor('the last message', () => Promise.resolve(texts().some((text) => text.includes('2 completed'))));
    expect(texts().filter((text) => text.includes('2 started'))).toHaveLength(1);
    const { analysis } = (await statusIn(namespace)) as Status;
    expect(await kubectl(namespace, ['get', 'dpl,events', '-o', 'json'])).not.toContain('/chat');
    expect(analysis.find(({ name }) => name === 'errors')).toMatchObject({
      phase: 'Passed',
      message: '0.5, should be at most 0.5',
    });
  });

  it('a metric out of its bounds takes the rollout back', async () => {
    const namespace = await deployed('failing', { steps: [measured()] });
    server.values.set(query(namespace), '0.51');
    await edit(namespace, { deployment: { version: '2' } });
    const status = await reaches(namespace, 'the abort', ({ phase }) => phase === 'Degraded');
    expect(status).toMatchObject({ abortReason: 'MetricFailed', stableVersion: '1' });
    expect((await sizesIn(namespace))['nginx-1']).toBe(2);
    expect((await sizesIn(namespace))['nginx-2'] ?? 0).toBe(0);
    const isReported = async (): Promise<boolean> =>
      /AnalysisFailed.*0\.51, should be at most 0\.5/.test(await kubectl(namespace, ['describe', 'dpl', 'nginx']));
    await waitFor('the event', isReported, { pollMs: 1000 });
  });

  it('a metric without data pauses the rollout, a command lets it go on, and kubectl describe shows the story', async () => {
    const namespace = await deployed('nodata', { steps: [measured()] });
    await edit(namespace, { deployment: { version: '2' } });
    const { canaryHash: revision } = await reaches(namespace, 'the pause', ({ phase }) => phase === 'Paused');
    const command = JSON.stringify({ id: 'go-on', verb: 'promote', revision });
    await kubectl(namespace, ['annotate', 'dpl', 'nginx', `deploy.example.com/command=${command}`]);
    await reaches(namespace, 'version 2', healthy('2'));
    expect(await sizesIn(namespace)).toEqual({ 'nginx-2': 2 });
    expect(await missingOf(namespace, pausedStory)).toEqual([]);
  });

  it('what its schema cannot say is refused with a condition, and rules are the API server’s', async () => {
    const namespace = await plane.createNamespace('refused');
    const resource = {
      apiVersion: 'deploy.example.com/v1alpha1',
      kind: 'Deployer',
      metadata: { name: 'nginx', namespace },
    };
    const deployment = { name: 'nginx', image: 'nginx', version: '1' };
    await kubectl(namespace, ['apply', '-f', '-'], {
      ...resource,
      spec: { deployment: { ...deployment, namespace: 'default' } },
    });
    await reaches(namespace, 'the refusal', ({ phase }) => phase === 'InvalidSpec');
    expect(await sizesIn(namespace)).toEqual({});
    const patch = async (spec: object): Promise<string> => {
      const args = ['-n', namespace, 'patch', 'dpl', 'nginx', '--type=merge', '-p', JSON.stringify({ spec })];
      return (await plane.kubectl(args)).stderr;
    };
    expect(await patch({ deployment: { image: 'other' } })).toMatch(/spec\.deployment.*image may change only together/);
    expect(await patch({ deployment: { image: 'other', version: '2' } })).toBe('');
    expect(await patch({ deployment: { name: 'other' } })).toMatch(/deployment\.name cannot be changed/);
    expect(await patch({ deployment: { namespace: null } })).toMatch(/deployment\.namespace cannot be changed/);
    expect(await patch({ steps: [{ percent: 30 }, { percent: 10 }] })).toMatch(/must not decrease/);
    const twice = { webhooks: [{ name: 'a', type: 'Pre', url: 'http://a' }] };
    expect(await patch({ ...twice, steps: [{ percent: 30, ...twice }] })).toMatch(/must not have the name/);
  });

  it('what only the cluster can show becomes a condition, moves nothing, and heals by itself', async () => {
    const namespace = await deployed('stopped', { maxUnavailable: 1 });
    const stops = async (reason: string): Promise<void> => {
      const isStalled = ({ conditions }: Status): boolean =>
        conditions.some((it) => it.type === 'Stalled' && it.status === 'True' && it.reason === reason);
      await reaches(namespace, reason, isStalled);
      expect(await sizesIn(namespace)).toEqual({ 'nginx-1': 2 });
    };
    await edit(namespace, { deployment: { labels: { team: 'a' } } });
    await stops('VersionReused');
    await edit(namespace, { deployment: { version: '2', labels: { team: 'a b' } } });
    await stops('InvalidTemplate');
    expect((await statusIn(namespace))?.message).toMatch(
      /the API server refuses it: .*metadata\.labels: Invalid value: "a b"/,
    );
    await edit(namespace, { deployment: { labels: { team: 'a' } } });
    await reaches(namespace, 'version 2', healthy('2'));
    expect(await sizesIn(namespace)).toEqual({ 'nginx-2': 2 });
  });
});
