import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import type { ContainerState, Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { appService } from '#constructs/app-service/kind.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { Deployment, Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

/** A container of a pod at a moment of a crash loop. */
interface Moment {
  readonly state: ContainerState;
  readonly restartCount: number;
}

const crash = { exitCode: 7, reason: 'Error', startedAt: '2026-11-21T09:00:00Z', finishedAt: '2026-11-21T09:00:01Z' };

/** One turn of a crash loop without a moment of readiness, as a kubelet reports it. */
const turn = (restartCount: number, bench: LoopBench): readonly Moment[] => {
  const message = `back-off ${10 * 2 ** Math.min(restartCount, 5)}s restarting failed container`;
  const startedAt = new Date(bench.timers.now()).toISOString();
  return [
    { state: { waiting: { reason: 'CrashLoopBackOff', message } }, restartCount },
    { state: { running: { startedAt } }, restartCount: restartCount + 1 },
    { state: { terminated: crash }, restartCount: restartCount + 1 },
  ];
};

const statusOf = (name: string, { state, restartCount }: Moment) => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [
    { name, image: 'web:1', imageID: '', ready: false, restartCount, state, lastState: { terminated: crash } },
  ],
});

const containerOf = (pod: object): string => (pod as KubePod).spec?.containers[0]?.name ?? '';

/** The writes of a status that a crash loop of many turns causes. */
const writesOf = async (bench: LoopBench, turns: number): Promise<number> => {
  const report = async (moment: Moment): Promise<void> => {
    for (const pod of bench.pods()) bench.api.editStatus(Pod, pod.metadata.name, statusOf(containerOf(pod), moment));
    for (let passes = 0; passes < 3; passes += 1) {
      bench.catchUp();
      await bench.pass('web');
      await bench.timers.advance(5000);
    }
  };
  const writes = (): number => bench.api.requests.filter(({ verb }) => verb === 'patchStatus').length;
  for (const moment of turn(1, bench)) await report(moment);
  const before = writes();
  for (let count = 2; count < 2 + turns; count += 1) for (const moment of turn(count, bench)) await report(moment);
  return writes() - before;
};

const declared = async (kind: AnyKindDefinition, spec: object): Promise<LoopBench> => {
  const bench = new LoopBench(kind);
  bench.declare('web', spec);
  await bench.converge('web');
  return bench;
};

const failureIn = (bench: LoopBench): string | undefined => bench.conditionOf('web', 'ContainerFailure')?.reason;

describe('a crash loop', () => {
  it.each([
    ['PodSet', podSet, { replicas: 2 }],
    ['AppService', appService, { replicas: 2 }],
  ] as const)('costs a %s no write of its status while it lasts', async (_name, kind, spec) => {
    const bench = await declared(kind, spec);
    expect([await writesOf(bench, 10), failureIn(bench)]).toEqual([0, 'CrashLoopBackOff']);
  });

  it('costs an ImmortalContainer one write for each restart, which it counts', async () => {
    const bench = await declared(immortalContainer, { image: 'web:1' });
    expect([await writesOf(bench, 10), failureIn(bench)]).toEqual([10, 'CrashLoopBackOff']);
  });

  it('costs a CanaryRollout no write of its status while it lasts', async () => {
    const template = { spec: { containers: [{ name: 'main', image: 'web:1' }] } };
    const bench = await declared(canaryRollout, { replicas: 1, template });
    const [deployment] = bench.api.all(Deployment) as readonly KubeDeployment[];
    const labels = deployment?.spec?.selector.matchLabels ?? {};
    bench.api.editStatus(Deployment, deployment?.metadata?.name ?? '', { observedGeneration: 1, replicas: 1 });
    bench.api.put(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-a', namespace: 'default', labels },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    });
    expect([await writesOf(bench, 10), failureIn(bench)]).toEqual([0, 'CrashLoopBackOff']);
  });
});
