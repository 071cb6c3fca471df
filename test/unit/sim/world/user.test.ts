import { describe, expect, it } from 'vitest';
import { RequestRefusedError, SimulationError } from '#lib/errors.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { userOf } from '#lib/sim/world/scenario/user.ts';

const namespaces = { apiVersion: 'v1', plural: 'namespaces' };

const caught = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe('userOf()', () => {
  it('throws RequestRefusedError with the answer when a request is refused', () => {
    const user = userOf(createClusterServer(() => 0));
    const error = caught(() => user.delete({ resource: namespaces, name: 'ghost' }));
    expect(error).toBeInstanceOf(RequestRefusedError);
    expect(error).toBeInstanceOf(SimulationError);
    expect(error).toMatchObject({
      code: 'Simulation',
      httpStatus: 404,
      status: { kind: 'Status', reason: 'NotFound', details: { name: 'ghost' } },
      message: 'The request was refused: delete namespaces ghost: 404 NotFound: namespaces "ghost" not found',
    });
  });
});
