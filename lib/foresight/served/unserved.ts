import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import { isKnownResource } from '#lib/apiserver/server/known-resources.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { isPlainObject } from '#lib/json.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { type MemoryCluster, servesBuiltin } from '#lib/sim/served-kinds.ts';
import { UnservedKindError, type UnservedNeed } from './unserved-kind-error.ts';

/** An object of any kind, with the fields that identify its kind. */
interface NamedKind {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}

/** The kinds that a cluster in memory can run, and the kinds that it cannot run. */
export interface KindsByService {
  readonly served: readonly AnyKindDefinition[];
  /** The kinds that cannot run, with one error each. */
  readonly unserved: readonly { readonly definition: AnyKindDefinition; readonly error: UnservedKindError }[];
}

/** Options for {@link kindsByService}. */
export interface ServiceOptions {
  readonly cluster: MemoryCluster;
  /** The objects of the cluster, with its CustomResourceDefinitions. @default only the CustomResourceDefinitions of `kinds` */
  readonly objects?: readonly NamedKind[];
  /** Whether more CustomResourceDefinitions may follow. If so, only built-in kinds count as not served. @default false */
  readonly mayDefine?: boolean;
}

/** The resources that a CustomResourceDefinition defines, as API version and plural; none for other objects. */
const definedBy = (object: NamedKind): readonly string[] => {
  const spec: unknown = Reflect.get(object, 'spec');
  if (object.kind !== 'CustomResourceDefinition' || !isPlainObject(spec) || !isPlainObject(spec['names'])) return [];
  const { group, names, versions } = spec;
  const all: readonly unknown[] = Array.isArray(versions) ? versions : [];
  return all.flatMap((version) =>
    isPlainObject(version) ? [`${String(group)}/${String(version['name'])} ${String(names['plural'])}`] : [],
  );
};

const idOf = ({ apiVersion, plural }: Pick<KindRef, 'apiVersion' | 'plural'>): string => `${apiVersion} ${plural}`;

const remedyFor = (ref: KindRef, { cluster, objects }: ServiceOptions): string => {
  if (objects !== undefined && !isKnownResource(resourceNameOf(ref)))
    return 'add its CustomResourceDefinition to the objects of the cluster';
  return cluster === 'embedded'
    ? 'develop on a cluster that serves it: --cluster current --yes'
    : 'try this kind on a cluster that serves it: cdk8s-reconcile dev --cluster current --yes';
};

/**
 * Separates the kinds that a cluster in memory can run from the kinds that need a resource that the cluster does not serve.
 *
 * Guarantees: a kind can run even if it owns another kind of the list that cannot run, because the CustomResourceDefinitions of
 * all kinds are installed.
 *
 * @param kinds - all kinds of a project
 * @param options - the cluster, and its objects
 */
export const kindsByService = (kinds: readonly AnyKindDefinition[], options: ServiceOptions): KindsByService => {
  const { cluster, objects = [], mayDefine = false } = options;
  const defined = new Set([...definedKinds(kinds).map((kind) => idOf(refOf(kind))), ...objects.flatMap(definedBy)]);
  const isServed = (ref: KindRef): boolean =>
    defined.has(idOf(ref)) ||
    servesBuiltin(cluster, resourceNameOf(ref)) ||
    (mayDefine && !isKnownResource(resourceNameOf(ref)));
  const missing = ({ kind, extension, owns, reads = [] }: AnyKindDefinition): UnservedNeed | undefined => {
    const extended = extension && !isServed(extension.of) ? extension.of : undefined;
    const owned = extended ?? owns.find((ref) => !isServed(ref));
    const ref = owned ?? reads.find((each) => !isServed(each));
    if (ref === undefined) return undefined;
    const resource = { apiVersion: ref.apiVersion, kind: ref.kind };
    const verb = extended ? 'extends' : owned === undefined ? 'reads' : 'owns';
    return { kind, verb, resource, cluster: `the ${cluster} cluster`, remedy: remedyFor(ref, options) };
  };
  const all = kinds.map((definition) => ({ definition, need: missing(definition) }));
  return {
    served: all.flatMap(({ definition, need }) => (need === undefined ? [definition] : [])),
    unserved: all.flatMap(({ definition, need }) =>
      need === undefined ? [] : [{ definition, error: new UnservedKindError(need) }],
    ),
  };
};

/**
 * Refuses objects of kinds that cannot run, because the cluster cannot reconcile them.
 *
 * @throws {UnservedKindError} for the first such object, and when no kind can run at all
 */
export const assertRunnable = ({ served, unserved }: KindsByService, objects: readonly NamedKind[]): void => {
  const isOf = (definition: AnyKindDefinition, object: NamedKind): boolean => {
    const { kind, apiVersion } = refOf(definition);
    return object.kind === kind && object.apiVersion === apiVersion;
  };
  for (const object of objects) for (const { definition, error } of unserved) if (isOf(definition, object)) throw error;
  const [first] = unserved;
  if (first !== undefined && served.length === 0) throw first.error;
};

/** One sentence for each kind that is left out, for the output of a command. */
export const leftOutNotes = ({ unserved }: Pick<KindsByService, 'unserved'>): readonly string[] =>
  unserved.map(({ error }) => `left out: ${error.message}`);
