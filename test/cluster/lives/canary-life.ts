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

/** The life of a CanaryRollout whose second version comes by steps: a sleep, and a pause that somebody ends. */
export const canaryLife: Life = {
  title: 'CanaryRollout',
  ...rolloutLife(rollout),
  chapters: [
    created([
      { percent: 30, sleep: 1 },
      { percent: 60, pause: true },
    ]),
    {
      title: 'the second version, up to the pause',
      live: async (place) => {
        await rollout.edit(place, { spec: { template: templateOf('web:2') } });
        await pausedAt(rollout, place, '1+2');
      },
    },
    {
      title: 'promoted',
      live: async (place) => {
        await command(rollout, place, 'promote');
        await healthy(rollout, place, 2);
      },
    },
  ],
};

/** The life of a CanaryRollout that goes back: because its spec does, and because somebody gives the version up. */
export const canaryBackLife: Life = {
  title: 'CanaryRollout, back',
  ...rolloutLife(rollout),
  chapters: [
    created([{ percent: 60, pause: true }]),
    {
      title: 'the second version, up to the pause',
      live: async (place) => {
        await rollout.edit(place, { spec: { template: templateOf('web:2') } });
        await pausedAt(rollout, place, '1+2');
      },
    },
    {
      title: 'taken back',
      live: async (place) => {
        await rollout.edit(place, { spec: { template: templateOf('web:1') } });
        await healthy(rollout, place, 2);
      },
    },
    {
      title: 'the third version, up to the pause',
      live: async (place) => {
        await rollout.edit(place, { spec: { template: templateOf('web:3') } });
        await pausedAt(rollout, place, '1+2');
      },
    },
    {
      title: 'given up',
      live: async (place) => {
        await command(rollout, place, 'abort');
        await degraded(rollout, place, '0+3');
      },
    },
    {
      title: 'spec goes back, too',
      live: async (place) => {
        await rollout.edit(place, { spec: { template: templateOf('web:1') } });
        await healthy(rollout, place, 3);
      },
    },
  ],
};
