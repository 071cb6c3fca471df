import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { refused } from '#test/control-plane/request.ts';
import { allKinds } from './kinds/all.ts';
import { apiVersionOf } from './kinds/kind-under-test.ts';
import type { OpenStream, Stream } from './real-stream.ts';
import { toHttp, toWatchPath } from './real-url.ts';

/**
 * Waits until all watches of a resource have received the due events. The server sends each event to all watches of a resource
 * before the next event. When the harness's own watch has delivered an object that was created last, all watches have received
 * the earlier events.
 */
export interface Markers {
  readonly pass: (resource: ResourceName) => Promise<void>;
  readonly close: () => void;
}

const namespace = 'markers';

const toMarker = (resource: ResourceName, name: string): { readonly place: object; readonly body: JsonObject } => {
  const subject = allKinds.find(
    ({ resource: { group, plural } }) => group === resource.group && plural === resource.plural,
  );
  if (subject === undefined) throw new Error(`Cannot mark "${resource.plural}": not a kind under test`);
  const base = JSON.parse(JSON.stringify(subject.base).replaceAll('<ns>', namespace)) as JsonObject;
  return {
    place: subject.namespaced ? { namespace } : {},
    body: {
      ...base,
      apiVersion: apiVersionOf(resource),
      kind: subject.kind,
      metadata: { name },
      // Uses no address.
      ...(subject.kind === 'Service' && { spec: { clusterIP: 'None' } }),
      ...(subject.kind === 'ResourceQuota' && { spec: { hard: {} } }),
    },
  };
};

interface NamedObject {
  readonly metadata?: { readonly name?: string };
}

/** Creates a namespace for markers, and one watch per resource at its first use. */
export const createMarkers = async ({ request }: ControlPlane, openStream: OpenStream): Promise<Markers> => {
  await request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  const waiting = new Map<string, () => void>();
  const streams = new Map<string, Promise<Stream>>();
  let count = 0;

  const follow = (resource: ResourceName, place: object): Promise<Stream> => {
    const key = `${apiVersionOf(resource)}/${resource.plural}`;
    const open =
      streams.get(key) ??
      openStream(toWatchPath({ resource, ...place }), ({ object }) => {
        const name = (object as NamedObject).metadata?.name ?? '';
        waiting.get(name)?.();
      });
    streams.set(key, open);
    return open;
  };

  return {
    pass: async (resource) => {
      count += 1;
      const name = `marker-${count}`;
      const { place, body } = toMarker(resource, name);
      await follow(resource, place);
      const seen = Promise.withResolvers<void>();
      waiting.set(name, seen.resolve);
      const http = toHttp({ verb: 'create', resource, ...place, body });
      const response = await request(http.method, http.path, http.body);
      if (response.status !== 201) throw refused(`mark ${resource.plural}`, response);
      await seen.promise;
      waiting.delete(name);
    },
    close: () => {
      for (const stream of streams.values()) void stream.then(({ close }) => close());
    },
  };
};
