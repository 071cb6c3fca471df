import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { ToldWrite } from './told-write.ts';

/** What was written until a resource came to rest, each object as it was left. */
export interface Chapter {
  /** What the resource says of itself then; absent at the end of what was written. */
  readonly rest?: unknown;
  /** By `resource name`; what came of it, and the last body. */
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

/** @returns `undefined` for what is on its way */
const restIn = (status: JsonObject): unknown => {
  const { status: isReady, reason } = readyIn(status);
  if (!REST.has(String(reason))) return undefined;
  return { ...Object.fromEntries(SAID.map((name) => [name, status[name]])), isReady, reason };
};

/** A Deployment that is scaled in three steps or in one, while its pods start, was scaled. */
const left = (before: { readonly what: string } | undefined, { verb, body }: ToldWrite) => ({
  what: verb === 'delete' ? 'deleted' : (before?.what ?? 'written'),
  body,
});

/**
 * What was written in chapters, each until a rollout rests. Within a chapter it is up to kubelets and to the controllers of
 * Deployments in how many steps, and in which order, two Deployments are scaled.
 */
export const courseOf = (writes: readonly ToldWrite[]): readonly Chapter[] => {
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
