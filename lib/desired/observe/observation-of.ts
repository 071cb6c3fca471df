import type { Static, TSchema } from 'typebox';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { type Instant, microsOf, passClock } from '#lib/desired/clock.ts';
import type {
  AnyKindDefinition,
  AnyResource,
  KindDefinition,
  Resource,
  ResourceMeta,
} from '#lib/desired/definition.ts';
import type { DryRunOutcome, HttpOutcome, Observation, Outcomes, Refusal } from '#lib/desired/observation.ts';
import type { OperatorSettings } from '#lib/desired/settings/operator-settings.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { memberOf } from '#lib/json.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';
import { refOf } from '#lib/kind/names.ts';
import type { Props } from '#lib/kind/schema/schema.ts';
import { createObservation, noOutcomes } from './create-observation.ts';
import { annotationsKeptFor } from './declared-annotations.ts';
import { isSameKind } from './declared-kind.ts';
import { declaredView } from './declared-view.ts';
import { relatedAmong } from './related-among.ts';
import { byName } from './scoped-name.ts';
import { carries, isOrphan, orphanNamesOf, selectorOf } from './selection.ts';

/** The input of a function in a test. Only the spec is required. */
export interface Situation<Sp extends TSchema, St extends TSchema> {
  /** The spec as a user writes it. Defaults are added, as in the API server. */
  readonly spec: Props<Sp>;
  readonly metadata?: Partial<ResourceMeta>;
  readonly status?: Resource<Sp, St>['status'];
  /** The children, of kinds in `owns`. */
  readonly children?: readonly KubeObject[];
  /**
   * Objects of owned kinds without a controller. As in a cluster, the function sees only those that the kind's `selector` or
   * `orphanNames` selects.
   */
  readonly orphans?: readonly KubeObject[];
  /** Objects of the kinds in `reads`. A namespaced object that names no namespace is in the namespace of the resource. */
  readonly related?: readonly KubeObject[];
  readonly refused?: readonly Refusal[];
  /** The outcomes of effects, by their keys. */
  readonly outcomes?: {
    readonly http?: Readonly<Record<string, HttpOutcome>>;
    readonly dryRun?: Readonly<Record<string, DryRunOutcome>>;
  };
  /** @default '2026-01-01T00:00:00Z' */
  readonly now?: Instant;
  /** Settings of the operator. @default none */
  readonly settings?: OperatorSettings;
}

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

interface GivenObjects {
  readonly given: readonly KubeObject[];
  readonly kinds: readonly KindRef[];
  /** The objects in words, such as `related objects`, for a message. */
  readonly what: string;
  /** The API group of the kind. Annotations with this prefix are kept. */
  readonly group: string;
}

const declared = (kinds: readonly KindRef[], object: KubeObject): KindRef =>
  kinds.find((kind) => isSameKind(kind, object)) as KindRef;

const viewFor = (kind: KindRef, object: KubeObject, group: string): KubeObject =>
  declaredView(kind, object, annotationsKeptFor([kind], [group]));

/**
 * Copies objects: sorted, reduced to the declared fields, and frozen. Throws for an object of a kind that the definition does not
 * declare.
 */
const taken = ({ given, kinds, what, group }: GivenObjects): readonly KubeObject[] => {
  const stranger = given.find((object) => !kinds.some((kind) => isSameKind(kind, object)));
  if (stranger === undefined) {
    const copies = structuredClone(given.toSorted(byName));
    return deepFreeze(copies.map((object) => viewFor(declared(kinds, object), object, group)));
  }
  const { apiVersion = 'no apiVersion', kind = 'no kind', metadata } = stranger;
  const names = kinds.map((known) => `${known.apiVersion} ${known.kind}`).join(', ');
  throw new ConfigurationError(
    `Cannot observe ${kind} "${metadata?.name ?? ''}" (${apiVersion}) among the ${what}: the definition names ${names || 'none'} there; ` +
      'set apiVersion and kind of the object, or declare its kind in the definition',
  );
};

const settingsOf = (names: readonly (keyof OperatorSettings)[], given: OperatorSettings = {}): OperatorSettings =>
  Object.freeze(Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))));

const outcomesOf = (given: Situation<TSchema, TSchema>['outcomes'] = {}): Outcomes => {
  const { http = {}, dryRun = {} } = deepFreeze(structuredClone(given));
  return Object.freeze({
    http: (key: string) => memberOf(http, key) ?? noOutcomes.http(key),
    dryRun: (key: string) => memberOf(dryRun, key) ?? noOutcomes.dryRun(key),
  });
};

/** The input of a function besides its resource. */
type Surroundings = Omit<Situation<TSchema, TSchema>, 'spec' | 'metadata' | 'status'>;

const observed = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  resource: Resource<Sp, St>,
  { children = [], orphans = [], related = [], refused = [], outcomes, now, settings }: Surroundings,
): Observation<Resource<Sp, St>> => {
  const { owns, reads = [], operatorSettings = [], group } = definition;
  const selector = selectorOf(definition, resource);
  const names = orphanNamesOf(definition, resource);
  const isOffered = (object: KubeObject): boolean =>
    (selector !== undefined && carries(object, selector)) || names.includes(object.metadata?.name ?? '');
  const offered = orphans.filter((object) => isOrphan(object) && isOffered(object));
  return createObservation<Resource<Sp, St>>({
    resource,
    owns,
    children: taken({ given: children, kinds: owns, what: 'children', group }),
    orphans: taken({ given: offered, kinds: owns, what: 'orphans', group }),
    related: relatedAmong({
      reads,
      from: resource.metadata.namespace,
      objects: taken({ given: related, kinds: reads, what: 'related objects', group }),
    }),
    refused: deepFreeze(structuredClone(refused)),
    outcomes: outcomesOf(outcomes),
    clock: passClock(microsOf(now ?? defaultMetadata.creationTimestamp)).clock,
    settings: settingsOf(operatorSettings, settings),
  });
};

/**
 * An observation for a test: the input of the function of a kind in a situation. A read of an undeclared field of a child, an
 * orphan or a related object throws an `UndeclaredReadError`. The cache of a loop does not have such a field.
 *
 * @param definition - the kind
 * @param situation - the spec, and other input of the function
 * @returns a deep-frozen observation; the situation is copied, not changed
 * @throws {ConfigurationError} for an object of a kind that the definition does not declare
 * @throws {TypeError} when `now` is not RFC 3339; also the errors of `selector` and `orphanNames` of the kind
 * @example
 * const { children, status } = podSet.desired(observationOf(podSet, { spec: { replicas: 3 } }));
 */
export const observationOf = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  situation: Situation<Sp, St>,
): Observation<Resource<Sp, St>> => {
  const { metadata, status } = situation;
  const spec = applyDefaults(definition.spec, structuredClone(situation.spec)) as Static<Sp>;
  const home = definition.scope === 'Cluster' ? { namespace: '' } : {};
  const whole = {
    metadata: { ...defaultMetadata, ...home, ...metadata },
    spec,
    ...(status === undefined ? {} : { status }),
  };
  return observed(definition, deepFreeze(structuredClone(whole)), situation);
};

/**
 * An observation for a test of an extension: the input of its function for an object of the existing kind. A read of a field
 * that the extension does not declare throws, as in {@link observationOf}.
 *
 * @param definition - made by `extendKind()`
 * @param parent - the object; missing metadata are filled in
 * @param situation - other input of the function
 * @throws {ConfigurationError} for an object of a kind that the definition does not declare
 * @throws {TypeError} when `now` is not RFC 3339
 * @example
 * const { children } = tenantDefaults.desired(observationOfParent(tenantDefaults, { metadata: { name: 'team-a' } }));
 */
export const observationOfParent = (
  definition: AnyKindDefinition,
  parent: KubeObject,
  situation: Surroundings = {},
): Observation<AnyResource> => {
  const { apiVersion, kind } = refOf(definition);
  const home = definition.scope === 'Cluster' ? { namespace: '' } : {};
  const metadata = { ...defaultMetadata, ...home, generation: 0, ...parent.metadata };
  const whole = deepFreeze(structuredClone({ ...parent, apiVersion, kind, metadata }));
  const view = viewFor(refOf(definition), whole, definition.group);
  return observed(definition, view as unknown as AnyResource, situation);
};
