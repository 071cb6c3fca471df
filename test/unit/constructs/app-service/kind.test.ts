import { readFile } from 'node:fs/promises';
import { App, Chart, Testing, Yaml } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { AppService } from '#constructs/app-service/index.ts';
import { appService } from '#constructs/app-service/kind.ts';
import { freeSlots } from '#lib/desired/marks/names.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { repository } from '#test/architecture/repository.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { observedPod } from '#test/unit/support/pods.ts';

const metadata = { name: 'shop', uid: '6f1c2a7e-0000-4000-8000-000000000002' };
const names = freeSlots(3, { ...metadata, taken: new Set() });

const desired = (replicas: number, children: readonly KubeObject[] = []) =>
  appService.desired(
    observationOf(appService, { metadata, spec: { replicas }, children, now: '2026-11-21T09:30:00Z' }),
  );

const manifestOf = async (name: string): Promise<object> =>
  Yaml.load(`${repository}/test/manifests/${name}`)[0] as object;

const namesBy = (verb: string, intents: ReturnType<typeof desired>['children']): (string | undefined)[] =>
  intents.filter((intent) => intent.verb === verb).map(({ object }) => object.metadata?.name);

describe('AppService', () => {
  it('appService creates classic pods under the names of a PodSet, with its own label in the selector', () => {
    const { children, status } = desired(3);
    expect(namesBy('apply', children)).toEqual(names);
    const [first] = children;
    expect(first?.object).toMatchObject({
      metadata: { labels: { app: 'shop' } },
      spec: {
        containers: [{ name: 'busybox', image: 'busybox', command: ['sleep', '3600'] }],
        terminationGracePeriodSeconds: 1,
      },
    });
    expect(status.selector).toBe('app.example.com/appservice=shop');
  });

  it('appService lists its pods sorted and is ready when all of them are', () => {
    const { status, state, children } = desired(
      3,
      names.map((name) => observedPod({ name })),
    );
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, podNames: names.toSorted() });
    expect(state).toMatchObject({ state: 'ready', reason: 'PodsReady' });
    expect(namesBy('keep', children)).toHaveLength(3);
  });

  it('appService takes the surplus away, as a PodSet does', () => {
    const pods = names.map((name, index) => observedPod({ name, ready: index !== 1 }));
    expect(namesBy('remove', desired(2, pods).children)).toEqual([names[1]]);
  });

  it('appService is not ready while it has more pods than asked for', () => {
    const pods = names.map((name) => observedPod({ name }));
    expect(desired(2, pods).state).toMatchObject({ state: 'progressing', reason: 'ScalingDown' });
  });

  it('appService replaces a failed pod', async () => {
    const bench = new LoopBench(appService);
    bench.declare('shop', { replicas: 2 });
    await bench.converge('shop');
    const [failed = ''] = bench.podNames();
    bench.api.editStatus(appService.owns[0]!, failed, { phase: 'Failed' });
    bench.catchUp();
    await bench.timers.advance(60_000);
    await bench.converge('shop');
    expect(bench.statusOf('shop')).toMatchObject({ replicas: 2 });
    expect((bench.statusOf('shop') as { podNames: string[] }).podNames).not.toContain(failed);
  });

  it('the classic manifest is taken as it is', async () => {
    expect(validateResource(appService, await manifestOf('appservice.yaml'))).toEqual([]);
  });

  it('a manifest that says size is refused with what is missing, instead of running one pod', async () => {
    const issues = validateResource(appService, await manifestOf('appservice-size.yaml'));
    expect(issues.map(({ path, message }) => `${path} ${message}`).join()).toContain('spec.replicas');
  });

  it('a construct that says size besides replicas is refused with what to write', () => {
    const chart = new Chart(new App(), 'chart');
    expect(() => new AppService(chart, 'app', { spec: { replicas: 3, size: 3 } })).toThrow(
      /spec\.size.*the number of pods is spec\.replicas/s,
    );
  });

  it('the construct writes what it was given, and refuses a spec without replicas', async () => {
    const chart = new Chart(new App(), 'chart');
    const { spec } = (await manifestOf('appservice.yaml')) as { spec: { replicas: number } };
    new AppService(chart, 'app', { metadata: { name: 'example-appservice' }, spec });
    const text = await readFile(`${repository}/test/manifests/appservice.yaml`, 'utf8');
    expect(Yaml.stringify(...(Testing.synth(chart) as object[]))).toBe(text);
    expect(() => new AppService(chart, 'other', { spec: {} as { replicas: number } })).toThrow('spec.replicas');
  });
});
