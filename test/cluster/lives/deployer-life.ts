import { resourceAt } from './access.ts';
import type { Life } from './life.ts';
import { healthy, type RolloutStatus, rolloutLife } from './rollout-chapters.ts';

const deployer = resourceAt<RolloutStatus>({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'Deployer',
  plural: 'deployers',
  name: 'nginx',
});

/** The life of a Deployer: two versions, and a number of replicas between them. */
export const deployerLife: Life = {
  title: 'Deployer',
  ...rolloutLife(deployer),
  chapters: [
    {
      title: 'created',
      live: async (place) => {
        const deployment = { name: 'nginx', image: 'nginx', version: '1.7.7', replicas: 2 };
        const steps = [{ percent: 30, sleep: 1 }, { percent: 60, sleep: 1 }, { percent: 100 }];
        await deployer.create(place, { deployment, steps });
        await healthy(deployer, place, 1);
      },
    },
    {
      title: 'scaled up',
      live: async (place) => {
        await deployer.edit(place, { spec: { deployment: { replicas: 3 } } });
        await healthy(deployer, place, 1);
      },
    },
    {
      title: 'the second version',
      live: async (place) => {
        await deployer.edit(place, { spec: { deployment: { version: '1.7.8' } } });
        await healthy(deployer, place, 2);
      },
    },
  ],
};
