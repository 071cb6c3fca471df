import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { clusterEventRules, type PolicyRule, policyRules } from '#lib/desired/policy-rules.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { refOf } from '#lib/kind/names.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import type { ApiResource } from '#lib/kube/api.ts';
import { compiled } from '../crd/definitions.ts';

/** What an operator may do, as the construct `Operator` grants it. */
export interface ProjectRules {
  /** In all namespaces and outside of them; only outside of them where the namespaces are named. */
  readonly everywhere: readonly PolicyRule[];
  /** In each namespace that is named. */
  readonly inNamespaces: readonly PolicyRule[];
  /** Where events of what is in no namespace are told. */
  readonly ofEvents: readonly PolicyRule[];
}

/** What has to be in a cluster before the operator of a project can work: plain data, for the process that installs it. */
export interface Project {
  readonly kinds: readonly ApiResource[];
  readonly definitions: readonly CustomResourceDefinition[];
  readonly rules: ProjectRules;
  /** Kinds whose versions are converted by functions, which nobody calls here. */
  readonly unconverted: readonly string[];
}

/** Where the operator works, and what with. */
export interface ProjectOptions {
  /** Empty: everywhere. */
  readonly namespaces: readonly string[];
  readonly hasEffects: boolean;
}

/** Nothing in a cluster can call this machine: objects are served in other versions as they are stored. */
const withoutWebhook = (kind: AnyKindDefinition): CustomResourceDefinition => {
  const definition = compiled(kind);
  if (!needsWebhook(kind)) return definition;
  return {
    ...definition,
    spec: { ...definition.spec, conversion: { strategy: 'None' } },
  } as unknown as CustomResourceDefinition;
};

/**
 * What kinds need of a cluster.
 *
 * @throws {InvalidDefinitionError} when a kind cannot become a definition
 */
export const projectOf = (kinds: readonly AnyKindDefinition[], { namespaces, hasEffects }: ProjectOptions): Project => {
  const isEverywhere = namespaces.length === 0;
  return {
    kinds: kinds.map((kind) => {
      const { apiVersion, kind: name, plural, scope } = refOf(kind);
      return { apiVersion, kind: name, plural, scope };
    }),
    definitions: kinds.map(withoutWebhook),
    rules: {
      everywhere: policyRules(kinds, { hasEffects, scope: isEverywhere ? undefined : 'Cluster' }),
      inNamespaces: isEverywhere ? [] : policyRules(kinds, { hasEffects, scope: 'Namespaced' }),
      ofEvents: clusterEventRules(kinds, { namespaces: isEverywhere ? undefined : namespaces }),
    },
    unconverted: kinds.filter(needsWebhook).map(({ kind }) => kind),
  };
};
