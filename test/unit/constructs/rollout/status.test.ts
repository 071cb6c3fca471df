import { describe, expect, it } from 'vitest';
import { atSixty, deployed, rolling, templateOf } from '#test/unit/support/rollout-bench.ts';

const runs = (hash = '') => ({ name: `web-${hash}`, version: hash, hash });

describe('the status of a rollout', () => {
  it('counts pods of all versions, and of the one that was asked for last', () => {
    const web = atSixty();
    web.healthy.set('2', 5);
    web.settle();
    expect(web.status).toMatchObject({ replicas: 10, updatedReplicas: 6, readyReplicas: 9, availableReplicas: 9 });
  });

  it('names both versions, the step under way and the share', () => {
    const web = rolling().wait(60);
    const { stableHash, canaryHash } = web.status ?? {};
    expect(stableHash).not.toBe(canaryHash);
    expect(web.status).toMatchObject({
      stableVersion: stableHash,
      canaryVersion: canaryHash,
      step: '2/4',
      percent: 30,
      currentStepIndex: 1,
    });
    expect(web.wait(61).status).toMatchObject({ stableVersion: canaryHash, canaryVersion: canaryHash, percent: 100 });
    expect(web.status?.step).toBeUndefined();
  });

  it('lists its Deployments by name with their roles and sizes', () => {
    const web = atSixty();
    const { stableHash, canaryHash, deployments = [] } = web.status ?? {};
    const names = deployments.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(Map.groupBy(deployments, ({ role }) => role)).toEqual(
      new Map([
        ['Stable', [{ ...runs(stableHash), role: 'Stable', replicas: 4, availableReplicas: 4 }]],
        ['Canary', [{ ...runs(canaryHash), role: 'Canary', replicas: 6, availableReplicas: 6 }]],
      ]),
    );
  });

  it('says Other of a version that is on its way out', () => {
    const web = atSixty();
    web.ignored.add(web.deploymentOf('2').metadata?.name ?? '');
    web.rollTo('3');
    web.settle();
    const role = (version: string) =>
      web.status?.deployments?.find(({ name }) => name === web.deploymentOf(version).metadata?.name)?.role;
    expect(role('2')).toBe('Other');
    expect(role('1')).toBe('Stable');
  });

  it('selects the pods of all versions by the one label that they share, for kubectl scale and the autoscaler', () => {
    expect(rolling().status?.selector).toBe('deploy.example.com/canaryrollout=web');
  });

  it('keeps of every finished rollout its version, when it began and ended, and how', () => {
    const web = rolling().wait(121);
    const { canaryHash: hash } = web.status ?? {};
    expect(web.status?.history?.at(-1)).toEqual({
      version: hash,
      hash,
      startedAt: '2026-01-01T00:00:00.000000Z',
      finishedAt: '2026-01-01T00:02:00.000000Z',
      outcome: 'Promoted',
    });
  });
});

describe('fields of a CanaryRollout that are no version', () => {
  it('minReadySeconds reaches the Deployments of all versions, and starts no rollout', () => {
    const web = atSixty();
    const { canaryHash } = web.status ?? {};
    web.edit({ minReadySeconds: 20 });
    web.settle();
    expect(web.deployments.map(({ spec }) => spec?.minReadySeconds)).toEqual([20, 20]);
    expect(web.status).toMatchObject({ canaryHash, currentStepIndex: 2 });
  });

  it('labels of the template are those of the pods, and the two that select win', () => {
    const web = deployed();
    const { spec } = templateOf('2');
    const labels = { app: 'shop', team: 'blue' };
    web.edit({ template: { metadata: { labels }, spec } });
    web.settle().wait(121);
    const { matchLabels } = web.deploymentOf('2').spec?.selector ?? {};
    expect(web.deploymentOf('2').spec?.template.metadata?.labels).toEqual({ ...labels, ...matchLabels });
    expect(Object.keys(matchLabels ?? {})).toHaveLength(2);
  });
});
