import { describe } from 'vitest';
import { canaryBackLife, canaryLife } from './lives/canary-life.ts';
import { deployerLife } from './lives/deployer-life.ts';
import { crashSuite } from './lives/suite.ts';

const itSurvivesCrashes = crashSuite();

describe('a CanaryRollout whose operator is killed', () => {
  itSurvivesCrashes(canaryLife, {
    firsts: [1, 2],
    deaths: 12,
    populations: [1, 2, 1],
    survivors: [0, 1, 1],
    done: { deployments: { created: 2, deleted: 1 }, controllerrevisions: { created: 2, deleted: 0 } },
  });
});

describe('a CanaryRollout whose operator is killed while it goes back', () => {
  itSurvivesCrashes(canaryBackLife, {
    firsts: [3],
    deaths: 8,
    populations: [1, 2, 1, 2, 2, 1],
    survivors: [0, 1, 1, 1, 2, 1],
    done: { deployments: { created: 3, deleted: 2 }, controllerrevisions: { created: 3, deleted: 0 } },
  });
});

describe('a Deployer whose operator is killed', () => {
  itSurvivesCrashes(deployerLife, {
    populations: [1, 1, 1],
    survivors: [0, 1, 0],
    done: { deployments: { created: 2, deleted: 1 }, controllerrevisions: { created: 2, deleted: 0 } },
  });
});
