import { describe, expect, it } from 'vitest';
import { withPosition } from '#lib/cli/project/script-file.ts';
import { SimulationError } from '#lib/errors.ts';

const places = { wheres: [], cwd: '/project' };

describe('withPosition()', () => {
  it('withPosition() adds the line of the function that failed to the error of a simulation', () => {
    const cause = new TypeError('oops');
    cause.stack = 'TypeError: oops\n    at desired (file:///project/web.ts:12:5)';
    const error = new SimulationError('The function failed', { cause });
    expect(withPosition(error, places)).toEqual(
      new SimulationError('The function failed (web.ts:12)', { cause: error }),
    );
  });

  it('withPosition() returns other errors unchanged', () => {
    const error = new TypeError('oops');
    expect(withPosition(error, places)).toBe(error);
  });
});
