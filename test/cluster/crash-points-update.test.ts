import { describe } from 'vitest';
import { appServiceLife } from './lives/app-service-life.ts';
import { podSetUpdateLife } from './lives/pod-set-update-life.ts';
import { crashSuite } from './lives/suite.ts';

const itSurvivesCrashes = crashSuite();

describe('a PodSet whose operator is killed while its template changes', () => {
  itSurvivesCrashes(podSetUpdateLife, {
    populations: [3, 3, 4, 3],
    survivors: [0, 0, 2, 2],
    done: { pods: { created: 9, deleted: 6 }, controllerrevisions: { created: 3, deleted: 0 } },
  });
});

describe('an AppService whose operator is killed', () => {
  itSurvivesCrashes(appServiceLife, {
    populations: [2, 5, 5, 1, 4, 0, 3],
    survivors: [0, 2, 4, 1, 1, 0, 0],
    done: { pods: { created: 12, deleted: 8 } },
  });
});
