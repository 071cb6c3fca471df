import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';

/** A write in the common form of plans and audit logs. */
export interface PlainWrite {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly body: unknown;
}

const UID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Values that an API server assigns, of objects that exist before the change. */
export type Drawn = ReadonlySet<unknown>;

/** Collects the uids and versions of existing objects: a plan and a log must agree on these values. */
export const drawnIn = (live: readonly LiveObject[]): Drawn =>
  new Set(live.flatMap(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion]));

/** Replaces values that a plan cannot predict by a word: times, and values that an API server assigns later. */
const settled = (value: unknown, drawn: Drawn): unknown => {
  const member = (name: string, one: unknown): unknown => {
    if (typeof one !== 'string' || drawn.has(one)) return one;
    if (name === 'resourceVersion') return '(version)';
    return UID.test(one) ? '(uid)' : TIME.test(one) ? '(time)' : one;
  };
  const walk = (name: string, one: unknown): unknown => {
    if (Array.isArray(one)) return one.map((item) => walk(name, item));
    if (!isPlainObject(one)) return member(name, one);
    return Object.fromEntries(Object.entries(one).map(([key, below]) => [key, walk(key, below)]));
  };
  return walk('', value);
};

/** The options of a deletion are recorded in the version that the resource has. */
const bodyOf = (verb: string, body: JsonObject | undefined, drawn: Drawn): unknown => {
  if (verb !== 'delete' || !body) return settled(body, drawn);
  const { apiVersion: _version, kind: _kind, ...options } = body;
  return settled(options, drawn);
};

/** Normalizes a planned write. */
export const plannedWrite =
  (drawn: Drawn) =>
  ({ verb, resource, subresource, name, body }: PlannedWrite): PlainWrite => ({
    verb,
    resource,
    subresource: subresource ?? '',
    name,
    body: bodyOf(verb, body, drawn),
  });

const nameIn = ({ name, body }: AuditEntry): string =>
  name === '' ? ((body?.['metadata'] as { readonly name?: string } | undefined)?.name ?? '') : name;

/** Normalizes a write from an audit log that holds bodies. */
export const loggedWrite =
  (drawn: Drawn) =>
  (entry: AuditEntry): PlainWrite => {
    const { verb, resource, subresource, body } = entry;
    return { verb, resource, subresource, name: nameIn(entry), body: bodyOf(verb, body, drawn) };
  };

/** True for requests that changed something, except for the operator's lease and its events. */
export const isWrite = ({ verb, resource, requestURI, code }: AuditEntry): boolean =>
  ['create', 'patch', 'update', 'delete'].includes(verb) &&
  !['leases', 'events'].includes(resource) &&
  code < 400 &&
  !requestURI.includes('dryRun=All');

/** Only writes of children count, because the number of patches of a status depends on the timing of other controllers. */
export const isOfChild = ({ subresource }: Pick<PlainWrite, 'subresource'>): boolean => subresource === '';
