import { run } from 'cdk8s-reconcile/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { freeSlots } from '#lib/desired/marks/names.ts';
import { ready } from '#lib/desired/result/state.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { statusUnderDistress } from './refused/distress.ts';

/** A kind whose function throws while a flag in the spec is set. */
const touchy = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Touchy',
  plural: 'touchies',
  spec: s.object({ mood: s.string({ maxLength: 16 }) }),
  status: s.object({ mood: s.string({ maxLength: 16 }) }),
  owns: [],
  desired({ resource: { spec } }) {
    if (spec.mood === 'bad') throw new TypeError('not in the mood');
    return { children: [], status: { mood: spec.mood }, state: ready('Content', `in a ${spec.mood} mood`) };
  },
});

let plane: ControlPlane;
let operator: OperatorProcess;
let running: Promise<void>;
const ending = new AbortController();

const kubectl = async (namespace: string, args: readonly string[], input?: string): Promise<string> => {
  const { code, stdout, stderr } = await plane.kubectl(
    ['-n', namespace, ...args],
    input === undefined ? {} : { input },
  );
  expect(`${code} ${stderr}`).toBe('0 ');
  return stdout;
};

beforeAll(async () => {
  plane = await startControlPlane();
  await installBundle(plane);
  operator = await startInstalledOperator(plane);
  await kubectl('default', ['apply', '-f', '-'], JSON.stringify(compileCrd(touchy)));
  await kubectl('default', ['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  const ports = { HEALTH_PORT: '0', METRICS_PORT: '0' };
  const env = { ...ports, KUBECONFIG: plane.kubeconfig, LOG_LEVEL: 'silent', LEADER_ELECTION: 'false' };
  running = run({ kinds: [touchy], env, signal: ending.signal });
});

afterAll(async () => {
  ending.abort();
  await running;
  await operator?.stop();
  await plane?.stop();
});

const apply = async (namespace: string, kind: 'PodSet' | 'Touchy', spec: object): Promise<void> => {
  const apiVersion = kind === 'PodSet' ? 'app.example.com/v1alpha1' : 'demo.example.com/v1';
  await kubectl(namespace, ['apply', '-f', '-'], JSON.stringify({ apiVersion, kind, metadata: { name: 'web' }, spec }));
};

const isReady = async (namespace: string, resource = 'podset/web'): Promise<void> => {
  const said = await kubectl(namespace, ['wait', '--for=condition=Ready', resource, '--timeout=180s']);
  expect(said).toMatch(/condition met/);
};

/**
 * Returns the events that `kubectl describe` shows: type, reason and message. Names of pods become letters in order of
 * appearance.
 */
const storyIn = async (namespace: string, resource = 'podset'): Promise<readonly string[]> => {
  const text = await kubectl(namespace, ['describe', resource, 'web']);
  const [, events = ''] = text.split(/^Events:/m);
  const names = [...new Set(events.match(/web-[a-z0-9]{5}\b/g))];
  return events
    .split('\n')
    .filter((line) => /^ {2}(?:Normal|Warning) /.test(line))
    .map((line) => names.reduce((said, name, index) => said.replaceAll(name, `<${index}>`), line.trim()))
    .map((line) => line.replace(/^(\S+)\s+(\S+)\s+.*\s+cdk8s-reconcile\/\w+\s+/, '$1 $2: '));
};

/**
 * Events and status are written independently of each other. Each poll starts a kubectl process, hence the long
 * interval.
 */
const patiently = { interval: 300 };

const tells = async (namespace: string, story: readonly string[], resource?: string): Promise<void> => {
  await expect.poll(() => storyIn(namespace, resource), patiently).toEqual(story);
};

const conditionsIn = async (namespace: string, resource = 'podset/web'): Promise<string> => {
  const path = 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type} {.reason}: {.message}{"\\n"}{end}';
  const said = await kubectl(namespace, ['get', resource, '-o', path]);
  return said
    .split('\n')
    .filter((line) => /^(?:Ready|Reconciling|Stalled) /.test(line))
    .join('\n');
};

describe('kubectl describe', () => {
  it('shows a set that comes up, shrinks and grows, in the order in which it happened', async () => {
    const namespace = await plane.createNamespace('story');
    await apply(namespace, 'PodSet', { replicas: 2 });
    await isReady(namespace);
    const created = ['Normal SuccessfulCreate: Created pods <0>, <1>', 'Normal PodsReady: 2 of 2 pods are ready'];
    await tells(namespace, created);
    await expect.poll(() => conditionsIn(namespace), patiently).toBe('Ready PodsReady: 2 of 2 pods are ready');
    await apply(namespace, 'PodSet', { replicas: 1 });
    const deletion = /^Normal SuccessfulDelete: Deleted pod <[01]> \(ScaledDown\)$/;
    await waitFor('the deletion', async () => (await storyIn(namespace)).some((line) => deletion.test(line)));
    await apply(namespace, 'PodSet', { replicas: 7 });
    await isReady(namespace);
    const grown = /^Normal SuccessfulCreate: Created pods <\d>, <\d>, <\d> and 3 more$/;
    await waitFor('the growth', async () => (await storyIn(namespace)).some((line) => grown.test(line)));
    const story = await storyIn(namespace);
    expect(story.slice(0, 2)).toEqual(created);
    expect(story.findIndex((line) => deletion.test(line))).toBeLessThan(story.findIndex((line) => grown.test(line)));
    expect(story.length).toBeLessThanOrEqual(7);
  });

  it('shows every update of a set of ten pods from beginning to end, in fewer lines than there are pods', async () => {
    const namespace = await plane.createNamespace('updates');
    const updateTo = async (tag: number): Promise<void> => {
      const template = { spec: { containers: [{ name: 'c', image: `a:${tag}` }] } };
      await apply(namespace, 'PodSet', { replicas: 10, updateStrategy: { maxSurge: 2, maxUnavailable: 1 }, template });
    };
    const count = async (reason: string): Promise<number> =>
      (await storyIn(namespace)).filter((line) => line.startsWith(`Normal ${reason}: `)).length;
    await updateTo(1);
    await isReady(namespace);
    for (const [index, tag] of [2, 3].entries()) {
      await updateTo(tag);
      await waitFor(`the end of update ${tag}`, async () => (await count('RollingUpdateCompleted')) === index + 1);
    }
    expect(await count('RollingUpdateStarted')).toBe(2);
    const story = await storyIn(namespace);
    // Twenty pods are created and twenty deleted, a few at a time.
    expect(story).toContain('Normal SuccessfulCreate: Created more pods');
    expect(story).toContain('Normal SuccessfulDelete: Deleted more pods (Updated)');
    // With 25 events the limit on events was reached, and some events of the story may be missing.
    expect(story.length).toBeLessThan(25);
  });

  it('shows a quota, what helps, and the cure; a failure that repeats is one event', async () => {
    const namespace = await plane.createNamespace('quota');
    await kubectl(namespace, ['create', 'quota', 'two', '--hard=pods=2']);
    await apply(namespace, 'PodSet', { replicas: 4 });
    const refused = 'Warning FailedCreate: Cannot create pods: exceeded quota: two';
    await tells(namespace, ['Normal SuccessfulCreate: Created pods <0>, <1>', refused]);
    await expect
      .poll(() => conditionsIn(namespace), patiently)
      .toMatch(/^Reconciling QuotaExceeded: cannot create Pod: a ResourceQuota is used up/);
    const count = ['get', 'events', '-o', 'jsonpath={.items[?(@.reason=="FailedCreate")].series.count}'];
    // The poll may miss counts in between.
    await waitFor('a series', async () => Number(await kubectl(namespace, count)) >= 2);
    await kubectl(namespace, ['patch', 'quota', 'two', '--type=merge', '-p', '{"spec":{"hard":{"pods":"9"}}}']);
    await isReady(namespace);
    await tells(namespace, [
      'Normal SuccessfulCreate: Created pods <0>, <1>',
      refused,
      'Normal SuccessfulCreate: Created pods <2>, <3>',
      'Normal PodsReady: 4 of 4 pods are ready',
    ]);
  });

  it('reports a name that another object holds', async () => {
    const namespace = await plane.createNamespace('conflict');
    await apply(namespace, 'PodSet', { replicas: 0 });
    const uid = await kubectl(namespace, ['get', 'podset', 'web', '-o', 'jsonpath={.metadata.uid}']);
    const [name = ''] = freeSlots(1, { name: 'web', uid, taken: new Set() });
    await kubectl(namespace, ['run', name, '--image=busybox']);
    await apply(namespace, 'PodSet', { replicas: 1 });
    const refused = 'Warning FailedCreate: Cannot create pod <0>: another object has this name';
    await tells(namespace, ['Normal PodsReady: 0 of 0 pods are ready', refused]);
    const said = `Stalled NameConflict: name taken by another object: Pod "${name}"; delete or rename that object`;
    await expect.poll(() => conditionsIn(namespace), patiently).toBe(said);
  });

  it('shows a function that throws, once, and its cure', async () => {
    const namespace = await plane.createNamespace('touchy');
    await apply(namespace, 'Touchy', { mood: 'bad' });
    await tells(namespace, ['Warning DesiredFailed: not in the mood'], 'touchy');
    await expect
      .poll(() => conditionsIn(namespace, 'touchy/web'), patiently)
      .toBe('Stalled DesiredFailed: not in the mood');
    await apply(namespace, 'Touchy', { mood: 'good' });
    await isReady(namespace, 'touchy/web');
    await tells(namespace, ['Warning DesiredFailed: not in the mood', 'Normal Content: in a good mood'], 'touchy');
  });

  it('shows events that name the actor and the action', async () => {
    const namespace = await plane.createNamespace('who');
    await apply(namespace, 'PodSet', { replicas: 1 });
    await isReady(namespace);
    await waitFor('events', async () => (await storyIn(namespace)).length === 2);
    const event = ['get', 'events.events.k8s.io', '-o', 'jsonpath={range .items[?(@.regarding.kind=="PodSet")]}'];
    const fields = '{.reportingController} {.action} {.regarding.name}{"\\n"}{end}';
    const said = await kubectl(namespace, [...event.slice(0, 3), `${event[3]}${fields}`]);
    expect(said).toBe('cdk8s-reconcile/podset Create web\ncdk8s-reconcile/podset Reconcile web\n');
  });

  it('kubectl get shows the columns of the kind', async () => {
    const namespace = await plane.createNamespace('columns');
    await apply(namespace, 'PodSet', { replicas: 2 });
    await isReady(namespace);
    expect(await kubectl(namespace, ['get', 'podset'])).toMatch(
      /^NAME +DESIRED +CURRENT +READY +UPDATED +AVAILABLE +AGE\nweb +2 +2 +2 +2 +2 +\S+\n$/,
    );
  });
});

statusUnderDistress(() => ({ plane, operator }));

describe('/metrics', () => {
  it('counts what happened under the names of controller-runtime, and names no object', async () => {
    const namespace = await plane.createNamespace('metrics');
    await kubectl(namespace, ['create', 'quota', 'none', '--hard=pods=0']);
    await apply(namespace, 'PodSet', { replicas: 1 });
    await waitFor('a refusal', async () => (await conditionsIn(namespace)).startsWith('Reconciling QuotaExceeded'));
    await kubectl(namespace, ['delete', 'podset', 'web']);
    const started = operator.log.find((line) => line['msg'] === 'operator started');
    let text = '';
    const look = async (): Promise<void> => {
      text = await (await fetch(`http://127.0.0.1:${String(started?.['metricsPort'])}/metrics`)).text();
    };
    const valueOf = (series: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.slice(series.length + 1),
      );
    const busy = [
      'controller_runtime_active_workers{controller="podset"}',
      'workqueue_depth{name="podset",controller="podset"}',
    ];
    await waitFor('the loop to rest', async () => {
      await look();
      return busy.every((series) => valueOf(series) === 0);
    });
    expect(valueOf('controller_runtime_reconcile_total{controller="podset",result="success"}')).toBeGreaterThan(0);
    expect(valueOf('controller_runtime_reconcile_errors_total{controller="podset"}')).toBeGreaterThan(0);
    expect(valueOf('cdk8s_reconcile_events_total{outcome="created"}')).toBeGreaterThan(0);
    expect(valueOf('leader_election_master_status{name="cdk8s-reconcile"}')).toBe(1);
    expect(text).toMatch(/^rest_client_requests_total\{code="201",method="POST",host="[^"]+"\} [1-9]/m);
    expect(text).not.toContain('web');
  });
});
