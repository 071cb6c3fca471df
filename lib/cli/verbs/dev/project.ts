import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import {
  clusterEventRules,
  elsewhereRules,
  namespacesElsewhere,
  type PolicyRule,
  policyRules,
} from '#lib/desired/rights/policy-rules.ts';
import { UNCONVERTED_ANNOTATION } from '#lib/embedded/unconverted.ts';
import { assertRunnable, type KindsByService, kindsByService, leftOutNotes } from '#lib/foresight/served/unserved.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { refOf } from '#lib/kind/names.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { commandResources, idOfResource, knownAs } from '../../objects/resources.ts';
import { compiled } from '../../project/definitions.ts';

/** A resource that a page of the project shows. */
export interface ShownResource extends ApiResource {
  /** Whether all objects are shown. Otherwise, an object is shown only if an owner of it is shown. */
  readonly isRoot: boolean;
}

/** The rights of an operator, as the construct `Operator` grants them. */
export interface ProjectRules {
  /** Rules for the whole cluster. If the operator has a list of namespaces, these rules are only for cluster-scoped resources. */
  readonly everywhere: readonly PolicyRule[];
  /** Rules for each namespace of the list. */
  readonly inNamespaces: readonly PolicyRule[];
  /** Rules for the namespace with the events of cluster-scoped resources. */
  readonly ofEvents: readonly PolicyRule[];
  /** Rules for the namespaces that `elsewhere()` names, by namespace. */
  readonly elsewhere: Readonly<Record<string, readonly PolicyRule[]>>;
}

/** The needs of the operator of a project in a cluster. The needs are plain data, so that another process can install them. */
export interface Project {
  /** The kinds that the operator runs. */
  readonly kinds: readonly ApiResource[];
  /**
   * The resources that a page of the project shows: the defined and extended kinds, and all that they own, directly or
   * indirectly.
   */
  readonly shown: readonly ShownResource[];
  /** The kinds with rollouts that commands can steer. */
  readonly steered: readonly string[];
  readonly definitions: readonly CustomResourceDefinition[];
  readonly rules: ProjectRules;
  /**
   * Sentences about the limits of this cluster: kinds with conversion functions, which are not called, and kinds that are installed
   * but do not run. The cluster does not serve a resource that such a kind owns, reads or extends.
   */
  readonly limits: readonly string[];
}

/** Options for {@link projectOf}. */
export interface ProjectOptions {
  /** The namespaces of the operator; empty for all namespaces. */
  readonly namespaces: readonly string[];
  readonly hasEffects: boolean;
  /** Whether the cluster is embedded. The embedded cluster serves only a part of Kubernetes. */
  readonly isEmbedded: boolean;
}

/**
 * The CRD without its webhook, because a cluster cannot call this machine. The API server then converts no objects between
 * versions, and the annotation makes the embedded cluster refuse writes that need a conversion.
 */
const withoutWebhook = (kind: AnyKindDefinition): CustomResourceDefinition => {
  const definition = compiled(kind);
  if (!needsWebhook(kind)) return definition;
  const { metadata, spec } = definition;
  return {
    ...definition,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [UNCONVERTED_ANNOTATION]: 'true' } },
    spec: { ...spec, conversion: { strategy: 'None' } },
  } as unknown as CustomResourceDefinition;
};

const unconvertedNote = ({ kind, group, version }: AnyKindDefinition, isEmbedded: boolean): string =>
  `${kind} has conversion functions, which dev does not run: read and write it as ${group}/${version}. In another version, fields are missing, and a write ${isEmbedded ? 'is refused' : 'drops fields, unless an installed operator converts'}`;

/**
 * Splits kinds into kinds that can run and kinds that cannot, by the resources that the embedded cluster serves. A missing custom
 * resource is accepted, because its CRD may be installed later. On the current cluster, all kinds count as served.
 */
const byService = (
  kinds: readonly AnyKindDefinition[],
  { isEmbedded }: Pick<ProjectOptions, 'isEmbedded'>,
): KindsByService =>
  isEmbedded ? kindsByService(kinds, { cluster: 'embedded', mayDefine: true }) : { served: kinds, unserved: [] };

/** The kinds that the operator can run in this cluster. */
export const runnableKinds = (
  kinds: readonly AnyKindDefinition[],
  options: Pick<ProjectOptions, 'isEmbedded'>,
): readonly AnyKindDefinition[] => byService(kinds, options).served;

const plainResource = ({ apiVersion, kind, plural, scope }: ApiResource): ApiResource => ({
  apiVersion,
  kind,
  plural,
  scope,
});

/** The defined and extended kinds, then the resources that they own, the resources that these own, and so on. */
export const shownResources = (kinds: readonly AnyKindDefinition[]): readonly ShownResource[] => {
  const known = commandResources(kinds);
  const shown = known.filter(({ definition, extensions }) => definition ?? extensions);
  const roots = shown.length;
  const ids = new Set(shown.map(idOfResource));
  for (const { owns } of shown)
    for (const owned of owns.filter((each) => !ids.has(idOfResource(each)))) {
      ids.add(idOfResource(owned));
      shown.push(knownAs(known, owned));
    }
  return shown.map((resource, index) => ({ ...plainResource(resource), isRoot: index < roots }));
};

/**
 * Computes the needs of the kinds.
 *
 * @throws {InvalidDefinitionError} when a kind cannot be compiled
 * @throws {UnservedKindError} when no kind can run in this cluster
 */
export const projectOf = (kinds: readonly AnyKindDefinition[], options: ProjectOptions): Project => {
  const { namespaces, hasEffects } = options;
  const split = byService(kinds, options);
  assertRunnable(split, []);
  const running = split.served;
  const isEverywhere = namespaces.length === 0;
  return {
    kinds: running.map((kind) => plainResource(refOf(kind))),
    shown: shownResources(running),
    steered: running.filter(({ steer }) => steer !== undefined).map(({ kind, group }) => `${kind}.${group}`),
    definitions: definedKinds(kinds).map(withoutWebhook),
    rules: {
      everywhere: policyRules(running, { hasEffects, scope: isEverywhere ? undefined : 'Cluster' }),
      inNamespaces: isEverywhere ? [] : policyRules(running, { hasEffects, scope: 'Namespaced' }),
      ofEvents: clusterEventRules(running, { namespaces: isEverywhere ? undefined : namespaces }),
      elsewhere: Object.fromEntries(
        namespacesElsewhere(running).map((namespace) => [namespace, elsewhereRules(running, namespace)]),
      ),
    },
    limits: [
      ...kinds.filter(needsWebhook).map((kind) => unconvertedNote(kind, options.isEmbedded)),
      ...leftOutNotes(split),
    ],
  };
};
