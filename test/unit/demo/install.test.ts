import { describe, expect, it } from 'vitest';
import { removeAll } from '#apps/demo/cluster/install.ts';
import { ApiError } from '#lib/errors.ts';

const refusal = (httpStatus: number, reason: string): ApiError =>
  new ApiError('delete', { httpStatus, reason, message: reason });

describe('removeAll()', () => {
  it('removeAll() removes the rest when a removal fails, and tells what is left', async () => {
    const there = new Set(['a', 'b', 'c']);
    const object = (name: string, error?: Error) => ({
      title: name,
      command: `kubectl delete thing ${name}`,
      remove: async () => {
        if (error !== undefined) throw error;
        there.delete(name);
      },
    });
    const created = [object('a'), object('b', refusal(403, 'Forbidden')), object('c')];
    await expect(removeAll(created)).rejects.toThrow(
      /still in the cluster.*:\n {2}kubectl delete thing b {3}# .*Forbidden/,
    );
    expect([...there]).toEqual(['b']);
  });

  it('removeAll() is content when something is gone already', async () => {
    const gone = { title: 'a', command: '', remove: () => Promise.reject(refusal(404, 'NotFound')) };
    await expect(removeAll([gone])).resolves.toBeUndefined();
  });
});
