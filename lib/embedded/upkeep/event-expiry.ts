import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';

const events = { group: '', version: 'v1', plural: 'events' } as const;

/**
 * Age at which events are removed, in milliseconds.
 *
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (`--event-ttl`)
 */
const LIFE_MS = 3_600_000;

const INTERVAL_MS = 60_000;

const writtenAt = ({ metadata: { creationTimestamp, managedFields = [] } }: ServerObject): number =>
  managedFields.reduce((last, { time = '' }) => Math.max(last, Date.parse(time) || 0), Date.parse(creationTimestamp));

/**
 * Removes the events with a last write more than one hour ago, once a minute. On a real API server, leases of etcd do this.
 *
 * @param now - returns epoch milliseconds
 */
export const eventExpiry = (server: ApiServer, now: () => number): Actor => {
  let nextMs = now() + INTERVAL_MS;
  let mayHaveAny = true;
  const run = (): void => {
    nextMs = now() + INTERVAL_MS;
    mayHaveAny = server.objects(events).length > 0;
    for (const event of server.objects(events)) {
      if (writtenAt(event) > now() - LIFE_MS) continue;
      const { namespace = '', name } = event.metadata;
      server.handle({ verb: 'delete', resource: events, namespace, name });
    }
  };
  server.watch({ resource: events }, () => {
    mayHaveAny = true;
  });
  return {
    name: 'event expiry',
    steps: () => (mayHaveAny ? [{ label: 'event expiry: look for old events', notBefore: nextMs, run }] : []),
  };
};
