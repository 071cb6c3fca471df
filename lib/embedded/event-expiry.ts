import type { Actor } from '#lib/sim/actors/actor.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';

const events = { group: '', version: 'v1', plural: 'events' } as const;

/** @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (`--event-ttl`) */
const LIFE_MS = 3_600_000;

/** How often is looked, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Removes events that are an hour old, as the leases of etcd do.
 *
 * @param now - epoch milliseconds
 */
export const eventExpiry = (server: ApiServer, now: () => number): Actor => {
  let nextMs = now() + INTERVAL_MS;
  const run = (): void => {
    nextMs = now() + INTERVAL_MS;
    for (const { metadata } of server.objects(events)) {
      if (Date.parse(metadata.creationTimestamp) > now() - LIFE_MS) continue;
      const { namespace = '', name } = metadata;
      server.handle({ verb: 'delete', resource: events, namespace, name });
    }
  };
  return {
    name: 'event expiry',
    steps: () =>
      server.objects(events).length === 0
        ? []
        : [{ label: 'event expiry: look for old events', notBefore: nextMs, run }],
  };
};
