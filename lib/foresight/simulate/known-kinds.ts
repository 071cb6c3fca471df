import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';

/** A kind that the simulated cluster serves. */
export interface KnownKind {
  readonly kind: string;
  readonly resource: ResourceName;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Where its number of replicas stands, such as `.spec.replicas`; absent without scale subresource. */
  readonly replicasPath?: string;
  /** What people may call it besides: plural, singular, abbreviations. */
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

/** The kinds of a simulation, by the names that people give them. */
export class KnownKinds {
  readonly all: readonly KnownKind[];

  constructor(kinds: readonly AnyKindDefinition[]) {
    this.all = [...kinds.map(ownKind), ...builtins];
  }

  /** By kind, plural, singular or abbreviation, whatever their case; a kind of ours counts before a built-in one. */
  named(word: string): KnownKind | undefined {
    const text = word.toLowerCase();
    return this.all.find(({ kind, words }) => kind.toLowerCase() === text || words.includes(text));
  }

  /** The kind of a manifest, whatever its version. */
  of(apiVersion: string, kind: string): KnownKind | undefined {
    const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
    return this.all.find((known) => known.kind === kind && known.resource.group === group);
  }

  /** What a word that is no kind was probably meant to be. */
  nearest(word: string): string | undefined {
    return tryNearest(
      word,
      this.all.map(({ kind }) => kind),
    );
  }

  /** Their names, for messages. */
  get names(): readonly string[] {
    return this.all.map(({ kind }) => kind);
  }
}
