import type { Static, TSchema } from 'typebox';
import { InvalidDesiredError, UnsupportedError } from '#lib/errors.ts';
import { applyDefaults } from '#lib/kind/defaults.ts';
import type { KindRef, KubeObject } from '#lib/kind/reference.ts';
import type { Props } from '#lib/kind/schema.ts';
import { type Clock, type Instant, microsOf, passClock } from './clock.ts';
import type { KindDefinition, Resource, ResourceMeta } from './definition.ts';
import { deepFreeze } from './freeze.ts';
import type { Children, Observation, Refusal } from './observation.ts';

/** What an observation is put together from. Frozen, and children sorted by name, by whoever puts it together. */
export interface ObservationParts<R> {
  readonly resource: R;
  readonly owns: readonly KindRef[];
  readonly children: readonly Readonly<KubeObject>[];
  readonly refused: readonly Refusal[];
  readonly clock: Clock;
}

const unsupported = (what: string) => (): never => {
  throw new UnsupportedError(`${what} is not supported by this version of the loop`);
};

const isOf = (kind: KindRef, object: KubeObject): boolean =>
  object.kind === kind.kind && object.apiVersion === kind.apiVersion;

const childrenOf = ({ owns, children }: Pick<ObservationParts<unknown>, 'owns' | 'children'>): Children =>
  Object.freeze({
    of: <O extends KubeObject>(wanted: KindRef<O>): readonly Readonly<O>[] => {
      if (!owns.some(({ kind, apiVersion }) => kind === wanted.kind && apiVersion === wanted.apiVersion)) {
        const issue = { path: 'owns', message: 'must name every kind that children.of() asks for', value: wanted.kind };
        throw new InvalidDesiredError(`children.of(${wanted.kind})`, [issue]);
      }
      return Object.freeze(children.filter((object) => isOf(wanted, object)) as Readonly<O>[]);
    },
  });

/** Puts together what a desired-state function is given. Nothing in it can be changed. */
export const createObservation = <R>({ resource, refused, clock, ...parts }: ObservationParts<R>): Observation<R> =>
  Object.freeze({
    resource,
    children: childrenOf(parts),
    orphans: childrenOf({ owns: parts.owns, children: [] }),
    related: Object.freeze({ get: unsupported('related.get()'), list: unsupported('related.list()') }),
    refused,
    outcomes: Object.freeze({ http: unsupported('outcomes.http()'), dryRun: unsupported('outcomes.dryRun()') }),
    clock,
  });

/** A situation to call a desired-state function with. Everything but the spec may be left out. */
export interface Situation<Sp extends TSchema, St extends TSchema> {
  /** As a user writes it: defaults are filled in, as the API server does. */
  readonly spec: Props<Sp>;
  readonly metadata?: Partial<ResourceMeta>;
  readonly status?: Resource<Sp, St>['status'];
  /** Observed children, of any kind that the definition owns. */
  readonly children?: readonly KubeObject[];
  readonly refused?: readonly Refusal[];
  /** @default '2026-01-01T00:00:00Z' */
  readonly now?: Instant;
}

const byName = (a: KubeObject, b: KubeObject): number => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1);

const defaultMetadata: ResourceMeta = {
  name: 'example',
  namespace: 'default',
  uid: '00000000-0000-4000-8000-000000000001',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: {},
  annotations: {},
  annotationManagers: {},
};

/**
 * An observation for a test: what the function of a kind would be given in a situation.
 *
 * @param definition - the kind
 * @param situation - spec, and whatever else matters
 * @returns a deep-frozen observation; the situation is copied, not changed
 * @example
 * const { children, status } = podSet.desired(observationOf(podSet, { spec: { replicas: 3 } }));
 */
export const observationOf = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  situation: Situation<Sp, St>,
): Observation<Resource<Sp, St>> => {
  const { metadata, status, children = [], refused = [], now = defaultMetadata.creationTimestamp } = situation;
  const spec = applyDefaults(definition.spec, structuredClone(situation.spec)) as Static<Sp>;
  const resource = { metadata: { ...defaultMetadata, ...metadata }, spec, ...(status === undefined ? {} : { status }) };
  return createObservation<Resource<Sp, St>>({
    resource: deepFreeze(structuredClone(resource)),
    owns: definition.owns,
    children: deepFreeze(structuredClone(children.toSorted(byName))),
    refused: deepFreeze(structuredClone(refused)),
    clock: passClock(microsOf(now)).clock,
  });
};
