import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { namesOf } from '#lib/kind/names.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';

/** A kind that the simulated cluster serves. */
export interface KnownKind {
  readonly kind: string;
  readonly resource: ResourceName;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Path of the number of replicas, such as `.spec.replicas`; absent for a kind without a scale subresource. */
  readonly replicasPath?: string;
  /** The other names of the kind: plural, singular, and the short names of a kind of the project. */
  readonly words: readonly string[];
}

const ownKind = (definition: AnyKindDefinition): KnownKind => {
  const { kind, group, version, scope = 'Namespaced', scale } = definition;
  const { plural, singular, shortNames } = namesOf(definition);
  return {
    kind,
    resource: { group, version, plural },
    scope,
    ...(scale && { replicasPath: scale.spec }),
    words: [plural, singular, ...shortNames],
  };
};

const builtins: readonly KnownKind[] = builtinKinds.map(({ kind, group, plural, scope, storageVersion, versions }) => {
  const scale = versions.find(({ name }) => name === storageVersion)?.scale;
  return {
    kind,
    resource: { group, version: storageVersion, plural },
    scope,
    ...(scale && { replicasPath: scale.specReplicasPath }),
    words: [plural, kind.toLowerCase()],
  };
});

/** The kinds of a project and the built-in kinds, by name. */
export class KnownKinds {
  readonly all: readonly KnownKind[];

  constructor(kinds: readonly AnyKindDefinition[]) {
    this.all = [...definedKinds(kinds).map(ownKind), ...builtins];
  }

  /** Finds a kind by its kind or one of its `words`, in any letter case. Kinds of the project take precedence. */
  named(word: string): KnownKind | undefined {
    const text = word.toLowerCase();
    return this.all.find(({ kind, words }) => kind.toLowerCase() === text || words.includes(text));
  }

  /** Finds the kind of a manifest. The version of the manifest may be any version of the kind. */
  of(apiVersion: string, kind: string): KnownKind | undefined {
    const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
    return this.all.find((known) => known.kind === kind && known.resource.group === group);
  }

  /** The kind whose name is nearest to an unknown word; undefined if none is similar. */
  nearest(word: string): string | undefined {
    return tryNearest(
      word,
      this.all.map(({ kind }) => kind),
    );
  }

  /** The names of the kinds, such as `PodSet`, for messages. */
  get names(): readonly string[] {
    return this.all.map(({ kind }) => kind);
  }
}
