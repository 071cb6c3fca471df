import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlPlaneError } from './error.ts';
import { isMissing } from './scratch.ts';
import { harnessUser } from './users.ts';

/** One request, from the audit log. */
export interface AuditEntry {
  readonly auditID: string;
  readonly user: string;
  /** In lower case, as RBAC rules have it: `get`, `list`, `watch`, `patch`, … */
  readonly verb: string;
  /** Empty for a request that is not about a resource, such as `/version`. */
  readonly resource: string;
  readonly subresource: string;
  readonly apiGroup: string;
  readonly namespace: string;
  readonly name: string;
  readonly requestURI: string;
  readonly userAgent: string;
  readonly code: number;
  /** `ResponseComplete`; `ResponseStarted` for a watch that is still open; `Panic`. */
  readonly stage: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string;
  /**
   * The request body, if the audit level includes it: for a creation with the defaults of the API server, else as it
   * was sent.
   */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Selects entries; an absent field matches all. */
export interface AuditFilter {
  readonly user?: string;
  readonly namespace?: string;
  /** Requests received at this instant or later, by the clock of this machine. */
  readonly since?: Date;
}

/** The audit log of one API server. */
export interface AuditLog {
  /** Every request so far, once, in the order of their first entries, without those of the harness itself. */
  readonly entries: (filter?: AuditFilter) => Promise<readonly AuditEntry[]>;
}

/** The fields of a log line that are used. Fields are absent when empty. */
interface AuditLine {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly requestReceivedTimestamp: string;
  readonly requestObject?: Readonly<Record<string, unknown>>;
}

const flushTimeoutMs = 120_000;

/**
 * Opens the log of a plane.
 *
 * Guarantees: entries() contains every request whose response was read to its end before the call. The API server
 * writes the entry before it ends the response; entries() waits until a marker request appears in the file.
 * @param sendMarker sends a request of the harness with a given unique query
 */
export function openAuditLog(path: string, sendMarker: (query: string) => Promise<unknown>): AuditLog {
  const byId = new Map<string, AuditEntry>();
  const readLines = createLineReader(path);
  const seenMarkers = new Set<string>();

  const readOn = oneAtATime(async () => {
    for (const line of await readLines()) {
      const entry = parseLine(line);
      byId.set(entry.auditID, entry);
      if (entry.user === harnessUser) seenMarkers.add(entry.requestURI.split('?')[1] ?? '');
    }
  });
  const flush = async (): Promise<void> => {
    const marker = `audit-marker=${randomUUID()}`;
    await sendMarker(marker);
    const deadline = performance.now() + flushTimeoutMs;
    while (!seenMarkers.delete(marker)) {
      if (performance.now() > deadline)
        throw new ControlPlaneError('NOT_READY', `Cannot flush "${path}": no marker in it`);
      await readOn();
      await sleep(5);
    }
  };
  return {
    entries: async (filter = {}) => {
      await flush();
      return [...byId.values()].filter((entry) => matches(entry, filter));
    },
  };
}

/** Counts requests by `user verb resource`, such as `admin patch deployments/status`; keys are sorted. */
export function countRequests(entries: readonly AuditEntry[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { user, verb, resource, subresource, requestURI } of entries) {
    const what = resource === '' ? (requestURI.split('?')[0] ?? '') : [resource, subresource].filter(Boolean).join('/');
    const key = `${user} ${verb} ${what}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function matches(entry: AuditEntry, { user, namespace, since }: AuditFilter): boolean {
  if (user === undefined ? entry.user === harnessUser : entry.user !== user) return false;
  if (namespace !== undefined && entry.namespace !== namespace) return false;
  return since === undefined || Date.parse(entry.requestReceivedTimestamp) >= since.getTime();
}

function parseLine(line: string): AuditEntry {
  const { user, objectRef = {}, responseStatus, ...event } = JSON.parse(line) as AuditLine;
  return {
    auditID: event.auditID,
    user: user?.username ?? '',
    verb: event.verb,
    resource: objectRef.resource ?? '',
    subresource: objectRef.subresource ?? '',
    apiGroup: objectRef.apiGroup ?? '',
    namespace: objectRef.namespace ?? '',
    name: objectRef.name ?? '',
    requestURI: event.requestURI,
    userAgent: event.userAgent ?? '',
    code: responseStatus?.code ?? 0,
    stage: event.stage,
    annotations: event.annotations ?? {},
    requestReceivedTimestamp: event.requestReceivedTimestamp,
    ...(event.requestObject && { body: event.requestObject }),
  };
}

/** Calls of two tests may overlap, and two readers at one offset would count entries twice. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => (last = last.then(work));
}

/**
 * Reads the lines appended since the last call (the log of a large test is tens of megabytes). Returns complete lines
 * only.
 */
function createLineReader(path: string): () => Promise<readonly string[]> {
  let offset = 0;
  return async () => {
    const chunk = await readFrom(path, offset);
    const end = chunk.lastIndexOf(10) + 1;
    // Counted in bytes, not characters: names of users and objects need not be ASCII.
    offset += end;
    return chunk.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
  };
}

async function readFrom(path: string, offset: number): Promise<Buffer> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size <= offset) return Buffer.alloc(0);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - offset), position: offset });
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  }
}
