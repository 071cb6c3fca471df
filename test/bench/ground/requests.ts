import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import type { Ground } from './ground.ts';

/** The requests of the operator's user in a span of time, by class. */
export interface Requests {
  readonly lists: number;
  readonly gets: number;
  readonly writes: number;
  /** Opened watches, repeatedly or for the first time; not counted as requests of the loop. */
  readonly watches: number;
  /** Requests for Leases, which are not counted as requests of the loop. */
  readonly leases: number;
  readonly events: number;
  /** Numbers of the loop's requests by `verb resource`, such as `create pods`. */
  readonly by: Readonly<Record<string, number>>;
}

type Class = Exclude<keyof Requests, 'by'>;

const classOf = ({ verb, resource }: AuditEntry): Class => {
  if (resource === 'leases') return 'leases';
  if (resource === 'events') return 'events';
  if (verb === 'watch') return 'watches';
  if (verb === 'list') return 'lists';
  return verb === 'get' ? 'gets' : 'writes';
};

const describe = ({ verb, resource, subresource, requestURI }: AuditEntry): string =>
  `${verb} ${resource === '' ? requestURI : [resource, subresource].filter(Boolean).join('/')}`;

/** Sorts requests into classes and counts them. */
export const countByClass = (entries: readonly AuditEntry[]): Requests => {
  const counts: Record<Class, number> = { lists: 0, gets: 0, writes: 0, watches: 0, leases: 0, events: 0 };
  const by: Record<string, number> = {};
  for (const entry of entries) {
    const group = classOf(entry);
    counts[group] += 1;
    if (group === 'leases' || group === 'events' || group === 'watches') continue;
    by[describe(entry)] = (by[describe(entry)] ?? 0) + 1;
  }
  return { ...counts, by };
};

/** Counts the requests of the loop. */
export const ofLoop = ({ lists, gets, writes }: Requests): number => lists + gets + writes;

/** The operator's requests since an instant. */
export const requestsSince = async ({ plane, user }: Ground, since: Date): Promise<Requests> =>
  countByClass(await plane.auditEntries({ user, since }));

const QUIET_MS = 1500;

/** Waits until the operator has sent nothing for a while: all pending work is then done. */
export const untilQuiet = async ({ plane, user }: Ground): Promise<void> => {
  for (let before = -1; ; ) {
    // Leases are renewed all the time, and watches are opened again. Events come last.
    const requests = countByClass(await plane.auditEntries({ user }));
    const now = ofLoop(requests) + requests.events;
    if (now === before) return;
    before = now;
    await sleep(QUIET_MS);
  }
};

/** The operator's requests that follow from an action, until it is quiet again. */
export const requestsOf = async (ground: Ground, cause: () => Promise<unknown>): Promise<Requests> => {
  await untilQuiet(ground);
  const since = new Date();
  await cause();
  await untilQuiet(ground);
  return requestsSince(ground, since);
};

/** The requests as text, such as `create pods 3, patch podsets/status 1`. */
export const listed = ({ by }: Requests): string => {
  const parts = Object.entries(by).map(([what, count]) => `${what} ${count}`);
  return parts.length === 0 ? 'none' : parts.toSorted().join(', ');
};
