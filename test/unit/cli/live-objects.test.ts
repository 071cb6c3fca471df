import { expect, it } from 'vitest';
import { LiveObjects } from '#lib/cli/objects/live-objects.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { refused } from '#test/unit/kube/reflector-fixture.ts';
import { type OpenWatch, pod, scriptedApi } from '#test/unit/kube/scripted-api.ts';

/** Sends the initial objects of a watch-list. */
const fill = (watch: OpenWatch | undefined, resourceVersion: string, ...objects: readonly ApiObject[]): void => {
  for (const object of objects) watch?.emit({ type: 'ADDED', object });
  watch?.emit({ type: 'BOOKMARK', resourceVersion, endsInitialEvents: true });
};

it('LiveObjects reports an object as gone when a later list does not contain it', async () => {
  const api = scriptedApi();
  const changes: string[] = [];
  await using _ = new LiveObjects([Pod, ConfigMap], {
    api,
    namespace: 'default',
    failed: new Promise<never>(() => undefined),
    onError: () => undefined,
    onChange: ({ kind, metadata: { name } }, { isGone }) => changes.push(`${isGone ? 'gone' : 'here'} ${kind} ${name}`),
  });
  await expect.poll(() => api.watches).toHaveLength(2);
  fill(api.watches[0], '10', pod('a', '1'), pod('b', '2'));
  fill(api.watches[1], '10', { ...pod('c', '3'), kind: 'ConfigMap' });
  await expect.poll(() => changes).toHaveLength(3);
  api.watches[0]?.fail(refused(410, 'Expired'));
  await expect.poll(() => api.watches).toHaveLength(3);
  fill(api.watches[2], '20', pod('a', '1'));
  await expect.poll(() => changes.slice(3)).toEqual(['gone Pod b', 'here Pod a']);
});
