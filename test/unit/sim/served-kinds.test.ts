import { describe, expect, it } from 'vitest';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { type MemoryCluster, type ServedResource, servedKinds, servedResources } from '#lib/sim/served-kinds.ts';

const NOT_IMPLEMENTED = 501;

/** The newer API group of events is mapped to the core group before the server handles a request. */
const isAlias = ({ group }: { readonly group: string }): boolean => group === 'events.k8s.io';

/** The names of a resource and its kind. */
const names = ({ group, plural, kind }: ServedResource | ServedKind) => `${group} ${plural} ${kind}`;

const servers = {
  virtual: createClusterServer(() => 0),
  embedded: createApiServer({ kinds: servedKinds, now: () => 0 }),
} as const;

describe('servedResources()', () => {
  it.for(Object.keys(servers) as MemoryCluster[])(
    'servedResources() says which resources the %s cluster lists, and which it answers by 501',
    (cluster) => {
      const wrong = servedResources()
        .filter((resource) => !isAlias(resource))
        .filter(({ group, version, plural, servedBy }) => {
          const request: ServerRequest = { verb: 'list', resource: { group, version, plural } };
          return servedBy.includes(cluster) === (servers[cluster].handle(request).code === NOT_IMPLEMENTED);
        });
      expect(wrong).toEqual([]);
    },
  );

  it('servedResources() names the kinds as the clusters do, and includes every kind that a cluster serves', () => {
    const served = servedResources().filter(({ servedBy }) => servedBy.length > 0);
    expect(new Set(served.filter((resource) => !isAlias(resource)).map(names))).toEqual(
      new Set(servedKinds.map(names)),
    );
    expect(servedResources().find(isAlias)).toMatchObject({ kind: 'Event', servedBy: ['embedded'] });
  });
});
