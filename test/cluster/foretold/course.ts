import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { PlainWrite } from './plain-write.ts';

/** The writes until a resource came to rest, each object in its last state. */
export interface Chapter {
  /** The status of the resource then; absent after the last writes. */
  readonly rest?: unknown;
  /** By `resource name`: the result, and the last body. */
  readonly writes: Readonly<Record<string, { readonly what: string; readonly body: unknown }>>;
}

const merged = (target: unknown, patch: unknown): unknown => {
  if (!isPlainObject(patch)) return patch;
  const base = isPlainObject(target) ? target : {};
  const kept = Object.entries({ ...base, ...patch }).filter(([name]) => patch[name] !== null);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name in patch ? merged(base[name], patch[name]) : value]),
  );
};

const SAID = ['phase', 'step', 'percent', 'message', 'stableVersion', 'canaryVersion', 'canaryHash'];

const readyIn = ({ conditions }: JsonObject): JsonObject =>
  (Array.isArray(conditions) ? (conditions as JsonObject[]) : []).find(({ type }) => type === 'Ready') ?? {};

const REST = new Set(['StepSleeping', 'NewVersionAvailable']);

/** @returns `undefined` while a rollout is in progress */
const restIn = (status: JsonObject): unknown => {
  const { status: isReady, reason } = readyIn(status);
  if (!REST.has(String(reason))) return undefined;
  return { ...Object.fromEntries(SAID.map((name) => [name, status[name]])), isReady, reason };
};

/** A Deployment counts as scaled, whether it is scaled once or, while its pods start, several times. */
const left = (before: { readonly what: string } | undefined, { verb, body }: PlainWrite) => ({
  what: verb === 'delete' ? 'deleted' : (before?.what ?? 'written'),
  body,
});

/**
 * Divides writes into chapters, which end when a rollout rests. Within a chapter kubelets and Deployment controllers influence
 * how often and in which order two Deployments are scaled.
 */
export const courseOf = (writes: readonly PlainWrite[]): readonly Chapter[] => {
  const chapters: Chapter[] = [];
  let status: JsonObject = {};
  let open: Record<string, ReturnType<typeof left>> = {};
  let last = '';
  for (const write of writes) {
    const { resource, subresource, name, body } = write;
    if (subresource !== 'status') {
      open[`${resource} ${name}`] = left(open[`${resource} ${name}`], write);
      continue;
    }
    status = merged(status, (body as { readonly status?: unknown }).status) as JsonObject;
    const rest = restIn(status);
    const said = JSON.stringify(rest);
    if (rest === undefined || said === last) continue;
    last = said;
    chapters.push({ rest, writes: open });
    open = {};
  }
  return [...chapters, { writes: open }];
};
