import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { ApiError } from '#lib/errors.ts';
import { readLive } from '#lib/foresight/cluster/read-live.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';

/** An empty cluster that refuses to list one resource. */
const refusing = (plural: string, httpStatus: number): Pick<KubeApi, 'list'> => ({
  list: async (resource) => {
    if (resource.plural !== plural) return { items: [], resourceVersion: '1' };
    throw new ApiError(`list ${plural}`, { reason: 'Any', message: 'no', httpStatus });
  },
});

const read = async (plural: string, httpStatus: number) =>
  readLive(refusing(plural, httpStatus), { kinds: [podSet], namespaces: ['team'] });

describe('readLive()', () => {
  it.each(['podsets', 'pods'])('refuses to go on when %s may not be read', async (plural) => {
    await expect(read(plural, 403)).rejects.toThrow(
      /Cannot look ahead: (podsets\.app\.example\.com|pods) in namespace team may not be read \(403\), so the live objects are unknown; grant/,
    );
  });

  it('says what is unknown when the surroundings may not be read', async () => {
    const { notes } = await read('nodes', 403);
    expect(notes).toEqual([
      'UNKNOWN: nodes may not be read (403); the rest of this output assumes that there are none, and may be wrong',
    ]);
  });

  // A cluster in memory answers 501 for known resources that it does not serve.
  it.each([404, 501])('takes what is not served for absent: %i', async (status) => {
    const { notes } = await read('podsets', status);
    expect(notes).toEqual([`podsets.app.example.com in namespace team are not served (${status}), so there are none`]);
  });
});
