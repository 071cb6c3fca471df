import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';

/** A write as a plan and an audit log tell it alike. */
export interface ToldWrite {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly body: unknown;
}

const UID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** What API servers draw, as far as it is there before anything happens. */
export type Drawn = ReadonlySet<unknown>;

/** Uids and versions of what is there now: who names one of these must name the same. */
export const drawnIn = (live: readonly LiveObject[]): Drawn =>
  new Set(live.flatMap(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion]));

/** What nobody can foretell becomes a word: moments, and what an API server draws later. */
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

/** Options of a deletion are written down in whatever version the resource has. */
const bodyOf = (verb: string, body: JsonObject | undefined, drawn: Drawn): unknown => {
  if (verb !== 'delete' || !body) return settled(body, drawn);
  const { apiVersion: _version, kind: _kind, ...options } = body;
  return settled(options, drawn);
};

/** A planned write. */
export const toldByPlan =
  (drawn: Drawn) =>
  ({ verb, resource, subresource, name, body }: PlannedWrite): ToldWrite => ({
    verb,
    resource,
    subresource: subresource ?? '',
    name,
    body: bodyOf(verb, body, drawn),
  });

const nameIn = ({ name, body }: AuditEntry): string =>
  name === '' ? ((body?.['metadata'] as { readonly name?: string } | undefined)?.name ?? '') : name;

/** A write that was made, of a log that holds bodies. */
export const toldByLog =
  (drawn: Drawn) =>
  (entry: AuditEntry): ToldWrite => {
    const { verb, resource, subresource, body } = entry;
    return { verb, resource, subresource, name: nameIn(entry), body: bodyOf(verb, body, drawn) };
  };

/** Requests that have changed something, but for the lease of the operator and its events. */
export const isWrite = ({ verb, resource, requestURI, code }: AuditEntry): boolean =>
  ['create', 'patch', 'update', 'delete'].includes(verb) &&
  !['leases', 'events'].includes(resource) &&
  code < 400 &&
  !requestURI.includes('dryRun=All');

/** How many patches a status takes on its course depends on when others move. */
export const isOfChild = ({ subresource }: Pick<ToldWrite, 'subresource'>): boolean => subresource === '';
