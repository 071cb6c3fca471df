import { describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

const POD = 'web-immortalpod';
const spec = { restartPolicy: 'Always', updatePolicy: 'InPlace' } as const;

interface PodBody {
  readonly spec?: { readonly containers?: readonly object[] };
}

/** AlwaysPullImages was enabled after the pod was created: each write of the pod changes an immutable field. */
const alwaysPullImages = (bench: LoopBench): void => {
  bench.api.mutate = ({ resource, verb }, body) => {
    if (!resource.includes('pods') || (verb !== 'apply' && verb !== 'create')) return body;
    const pod = body as PodBody;
    const containers = pod.spec?.containers?.map((container) => ({ ...container, imagePullPolicy: 'Always' }));
    return { ...pod, spec: { ...pod.spec, containers } };
  };
};

describe('an image that is edited in place, where Kubernetes refuses the change', () => {
  it('comes with another pod, which counts as no failure', async () => {
    const bench = new LoopBench(immortalContainer);
    bench.declare('web', { image: 'nginx:1.26', ...spec });
    await bench.converge('web');
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T09:30:00Z' }];
    bench.api.editStatus(Pod, POD, { phase: 'Running', conditions });
    bench.catchUp();
    await bench.converge('web');
    const { uid } = bench.api.one(Pod, POD).metadata;
    alwaysPullImages(bench);
    bench.edit('web', { image: 'nginx:1.27', ...spec });
    bench.catchUp();
    await bench.converge('web');
    await bench.timers.advance(1000);
    await bench.converge('web');
    expect(bench.api.one(Pod, POD).metadata.uid).not.toBe(uid);
    expect(bench.api.one(Pod, POD)).toMatchObject({ spec: { containers: [{ image: 'nginx:1.27' }] } });
    expect(bench.statusOf('web')).toMatchObject({ startTimes: 2, consecutiveFailures: 0 });
    expect(bench.conditionOf('web', 'Stalled')?.status).toBe('False');
  });
});
