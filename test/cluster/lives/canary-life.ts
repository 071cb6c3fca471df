import { resourceAt } from './access.ts';
import type { Chapter, Life } from './life.ts';
import { command, degraded, healthy, pausedAt, type RolloutStatus, rolloutLife } from './rollout-chapters.ts';

const rollout = resourceAt<RolloutStatus>({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  plural: 'canaryrollouts',
  name: 'web',
});

const templateOf = (image: string) => ({ spec: { containers: [{ name: 'web', image }] } });

const created = (steps: readonly object[]): Chapter => ({
  title: 'created',
  live: async (place) => {
    await rollout.create(place, { replicas: 3, template: templateOf('web:1'), steps });
    await healthy(rollout, place, 1);
  },
});

const upToPause = (title: string, image: string): Chapter => ({
  title,
  live: async (place) => {
    await rollout.edit(place, { spec: { template: templateOf(image) } });
    await pausedAt(rollout, place, '1+2');
  },
});

const backToFirst = (title: string, finished: number): Chapter => ({
  title,
  live: async (place) => {
    await rollout.edit(place, { spec: { template: templateOf('web:1') } });
    await healthy(rollout, place, finished);
  },
});

/** The life of a CanaryRollout whose second version is rolled out in steps: a sleep, and a pause that a user ends. */
export const canaryLife: Life = {
  title: 'CanaryRollout',
  ...rolloutLife(rollout),
  chapters: [
    created([
      { percent: 30, sleep: 1 },
      { percent: 60, pause: true },
    ]),
    upToPause('the second version, up to the pause', 'web:2'),
    {
      title: 'promoted',
      live: async (place) => {
        await command(rollout, place, 'promote');
        await healthy(rollout, place, 2);
      },
    },
  ],
};

/** The life of a CanaryRollout that rolls back twice: its spec is reverted, and a user aborts the version. */
export const canaryBackLife: Life = {
  title: 'CanaryRollout, back',
  ...rolloutLife(rollout),
  chapters: [
    created([{ percent: 60, pause: true }]),
    upToPause('the second version, up to the pause', 'web:2'),
    backToFirst('taken back', 2),
    upToPause('the third version, up to the pause', 'web:3'),
    {
      title: 'given up',
      live: async (place) => {
        await command(rollout, place, 'abort');
        await degraded(rollout, place, '0+3');
      },
    },
    backToFirst('spec goes back, too', 3),
  ],
};
