import { expect, it } from 'vitest';
import { lateWrites } from '#test/cluster/late-writes.ts';

const at = (seconds: number) => ({
  verb: 'create',
  resource: 'pods',
  code: 201,
  requestReceivedTimestamp: new Date(seconds * 1000).toISOString(),
});

it('lateWrites() finds nothing when each write follows a renewal', () => {
  const deeds = { name: 'a', renewals: [at(0), at(2), at(20)], writes: [at(0.5), at(4.9), at(20)] };
  expect(lateWrites([deeds], 3000)).toEqual({ underWay: [], begun: [] });
});

it('lateWrites() finds one write under way for each renewal and operator, and counts the others as begun', () => {
  const a = { name: 'a', renewals: [at(0), at(20)], writes: [at(9), at(9.5), at(30)] };
  const b = { name: 'b', renewals: [at(0)], writes: [at(5)] };
  expect(lateWrites([a, b], 3000)).toEqual({
    underWay: [
      'a create pods 201: 9000 ms after a renewal',
      'a create pods 201: 10000 ms after a renewal',
      'b create pods 201: 5000 ms after a renewal',
    ],
    begun: ['a create pods 201: 9500 ms after a renewal'],
  });
});
