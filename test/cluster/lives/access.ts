import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { waitFor } from '#test/control-plane/poll.ts';
import { refused } from '#test/control-plane/request.ts';
import type { Child, Place } from './life.ts';

/** A condition, as far as lives read it. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A custom resource as the API server gives it. */
export interface Resource<St> {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly spec: object;
  readonly status?: St & { readonly observedGeneration: number; readonly conditions: readonly Condition[] };
}

/** Actions of users on the resource of a life. Each throws the message of the API server when it refuses. */
export interface ResourceAccess<St> {
  readonly create: (place: Place, spec: object) => Promise<void>;
  readonly read: (place: Place) => Promise<Resource<St>>;
  /** Merges a change into the resource, or into its status. */
  readonly edit: (place: Place, change: object, subresource?: '/status') => Promise<void>;
  readonly remove: (place: Place) => Promise<void>;
}

const merge = { contentType: 'application/merge-patch+json' } as const;

const ask = async <B>(
  { plane }: Place,
  [method, path]: readonly [method: string, path: string],
  body?: object,
): Promise<B> => {
  const answer = await plane.request<B>(method, path, body, method === 'PATCH' ? merge : {});
  if (answer.status >= 300) throw refused(`${method} ${path}`, answer);
  return answer.body;
};

/** The resource of that name in any namespace. */
export const resourceAt = <St>(type: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly name: string;
}): ResourceAccess<St> => {
  const { apiVersion, kind, plural, name } = type;
  const all = ({ namespace }: Place): string => `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
  const one = (place: Place): string => `${all(place)}/${name}`;
  return {
    create: (place, spec) => ask(place, ['POST', all(place)], { apiVersion, kind, metadata: { name }, spec }),
    read: (place) => ask(place, ['GET', one(place)]),
    edit: (place, change, subresource) => ask(place, ['PATCH', `${one(place)}${subresource ?? ''}`], change),
    remove: (place) => ask(place, ['DELETE', one(place)]),
  };
};

/** All objects of a resource in a namespace; `api` is `/api/v1` or `/apis/<group>/<version>`. */
export const listIn = async <O>(place: Place, api: string, plural: string): Promise<readonly O[]> =>
  (await ask<{ items: O[] }>(place, ['GET', `${api}/namespaces/${place.namespace}/${plural}`])).items;

/** All pods, those that are being deleted included. */
export const podsIn = (place: Place): Promise<readonly KubePod[]> => listIn(place, '/api/v1', 'pods');

/** Changes a pod as another writer. */
export const changePod = (place: Place, [method, podAndSubresource]: readonly [string, string], change?: object) =>
  ask<unknown>(place, [method, `/api/v1/namespaces/${place.namespace}/pods/${podAndSubresource}`], change);

/** Waits with a long interval: several lives wait at a time, and polling uses CPU time that the operators need. */
export const waiting = (what: string, isTrue: () => Promise<boolean>): Promise<void> =>
  waitFor(what, isTrue, { pollMs: 150, timeoutMs: 600_000 });

/** Whether the status is about the latest spec, and reports the resource as ready. */
export const isReady = ({ metadata, status }: Resource<unknown>): boolean =>
  status?.observedGeneration === metadata.generation &&
  status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');

/** Whether a pod is ready. */
export const servesAlready = ({ status }: KubePod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

/** Sorted. */
export const namesOf = (some: readonly { readonly metadata?: { readonly name?: string } }[]): string[] =>
  some.map(({ metadata }) => metadata?.name ?? '').toSorted();

/** Objects that are not being deleted. */
export const living = (
  some: readonly {
    readonly metadata?: { readonly name?: string; readonly uid?: string; readonly deletionTimestamp?: unknown };
  }[],
): readonly Child[] =>
  some
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ metadata }) => ({ name: metadata?.name ?? '', uid: metadata?.uid ?? '' }));

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Replaces instants and uids by fixed texts: their values differ between lives, but their presence must not. */
export const stillOf = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(INSTANT, 'an instant').replaceAll(UID, 'a uid'));

/**
 * The pod without names and uids, which differ from life to life, and without the fields that the API server adds to
 * every pod.
 */
export const podShape = ({ metadata, spec, status }: KubePod, uid: string): object => ({
  labels: metadata?.labels,
  owners: metadata?.ownerReferences?.map((owner) => ({ ...owner, uid: owner.uid === uid })),
  images: spec?.containers.map(({ name, image, command }) => ({ name, image, command })),
  phase: status?.phase,
});
