import { setTimeout as sleep } from 'node:timers/promises';
import { StorageFleet } from '#test/company/storage/fleet.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR_USER, startInstalledOperator } from '#test/control-plane/install.ts';
import type { LogLine, OperatorProcess } from '#test/control-plane/operator-process.ts';
import { HookServer } from './hooks.ts';

/** A cluster with the installed operator and webhooks. */
export interface Site {
  readonly plane: ControlPlane;
  readonly hooks: HookServer;
  /** The log of the running operator. */
  readonly log: () => readonly LogLine[];
  readonly restartOperator: () => Promise<void>;
  /** Creates a namespace with one resource of each kind, which the webhook or policy `hook` selects. */
  readonly fleet: (hook: string) => Promise<Fleet>;
}

/** One resource of each kind, in a namespace of their own. */
export interface Fleet {
  readonly namespace: string;
  readonly resources: StorageFleet;
}

/** The name of the resources of a {@link Fleet}: `all-podsets`, and so on. */
export const RESOURCES = 'all';

/** Runs a test on a cluster of its own. */
export const onSite = async (play: (site: Site) => Promise<string>): Promise<string> => {
  await using plane = await startControlPlane();
  await installBundle(plane);
  await using hooks = await HookServer.start(plane);
  let operator: OperatorProcess = await startInstalledOperator(plane);
  try {
    return await play({
      plane,
      hooks,
      log: () => operator.log,
      restartOperator: async () => {
        await operator.stop();
        operator = await startInstalledOperator(plane);
      },
      fleet: async (hook) => {
        const namespace = await hooks.namespace(hook);
        return { namespace, resources: new StorageFleet(plane, namespace) };
      },
    });
  } finally {
    await operator.stop();
  }
};

/** Sends a request that must succeed. */
export const ask = async <Body>(plane: ControlPlane, method: string, path: string, body?: object): Promise<Body> => {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await plane.request<Body>(method, path, body, { contentType });
  if (answer.status < 300) return answer.body;
  throw new Error(`Cannot ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
};

const WRITING: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** The operator's writes, without its lease and events. */
export const writesSince = async (
  plane: ControlPlane,
  since: Date,
  namespace?: string,
): Promise<readonly AuditEntry[]> => {
  const entries = await plane.auditEntries({
    user: OPERATOR_USER,
    since,
    ...(namespace !== undefined && { namespace }),
  });
  return entries.filter(({ verb, resource }) => WRITING.has(verb) && resource !== 'leases' && resource !== 'events');
};

/** Formats writes as a list. */
export const namesOf = (writes: readonly AuditEntry[]): string =>
  writes
    .map(({ verb, namespace, resource, subresource, name, code }) =>
      [verb, `${resource}${subresource && `/${subresource}`}`, `${namespace}/${name}`, code].join(' '),
    )
    .join('\n');

const LOOK_MS = 500;
const QUIET_MS = 5000;

/**
 * Waits until the children of all resources match their specs.
 *
 * @returns the duration in milliseconds
 */
export const untilWell = async (fleets: readonly Fleet[], limitMs = 180_000): Promise<number> => {
  const began = Date.now();
  for (;;) {
    const wrong: string[] = [];
    for (const { namespace, resources } of fleets)
      wrong.push(...(await resources.wrong()).map((text) => `${namespace}: ${text}`));
    const tookMs = Date.now() - began;
    if (wrong.length === 0) return tookMs;
    if (tookMs > limitMs) throw new Error(`Not well after ${limitMs} ms:\n${wrong.join('\n')}`);
    await sleep(LOOK_MS);
  }
};

/** Waits until the operator has written nothing for some seconds. */
export const untilQuiet = async (plane: ControlPlane, limitMs = 60_000): Promise<void> => {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const since = new Date();
    await sleep(QUIET_MS);
    const writes = await writesSince(plane, since);
    if (writes.length === 0) return;
    if (Date.now() > deadline) throw new Error(`Still writing after ${limitMs} ms:\n${namesOf(writes)}`);
  }
};
