import { describe } from 'vitest';
import { immortalLife } from './lives/immortal-life.ts';
import { crashSuite } from './lives/suite.ts';

const itSurvivesCrashes = crashSuite();

describe('an ImmortalContainer whose operator is killed', () => {
  itSurvivesCrashes(immortalLife, {
    populations: [1, 1, 1, 1, 0, 1],
    survivors: [0, 0, 0, 0, 0, 0],
    done: { pods: { created: 5, deleted: 3 } },
  });
});
