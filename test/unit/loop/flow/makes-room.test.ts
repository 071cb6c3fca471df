import { describe, expect, it } from 'vitest';
import { makesRoom } from '#lib/loop/flow/makes-room.ts';

type Amounts = Readonly<Record<string, string>>;

const quota = (hard: Amounts | undefined, used: Amounts = {}) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'few', uid: 'u', resourceVersion: '1' },
  ...(hard && { status: { hard, used } }),
});

const two = { pods: '2' };

describe('makesRoom()', () => {
  it.each([
    { what: 'a limit is raised', from: quota(two), to: quota({ pods: '3' }), room: true },
    { what: 'a limit is lowered', from: quota(two), to: quota({ pods: '1' }), room: false },
    { what: 'a limit grows a digit', from: quota({ pods: '9' }), to: quota({ pods: '10' }), room: true },
    {
      what: 'a limit is raised in another unit',
      from: quota({ memory: '1G' }),
      to: quota({ memory: '1Gi' }),
      room: true,
    },
    { what: 'a limit is said in another unit', from: quota({ cpu: '1' }), to: quota({ cpu: '1000m' }), room: false },
    { what: 'a limit is taken away', from: quota({ ...two, cpu: '1' }), to: quota(two), room: true },
    { what: 'a limit is added', from: quota(two), to: quota({ ...two, cpu: '1' }), room: false },
    { what: 'less is used', from: quota(two, { pods: '2' }), to: quota(two, { pods: '1' }), room: true },
    { what: 'more is used', from: quota(two, { pods: '1' }), to: quota(two, { pods: '2' }), room: false },
    { what: 'its limits are known', from: quota(undefined), to: quota(two), room: true },
    { what: 'nothing is known of it', from: quota(undefined), to: quota(undefined), room: false },
    { what: 'an amount cannot be read', from: quota({ pods: '?' }), to: quota(two), room: true },
  ])('makesRoom() is $room when $what', ({ from, to, room }) => {
    expect(makesRoom({ before: from, after: to })).toBe(room);
  });

  it('makesRoom() is true when the quota is gone, and false when there is one more', () => {
    expect(makesRoom({ before: quota(two) })).toBe(true);
    expect(makesRoom({ after: quota(two) })).toBe(false);
  });
});
