import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { resourceKey } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind, ServedVersion } from '#lib/apiserver/machinery/served-kind.ts';

/** A kind in one of its versions. */
export interface Served {
  readonly kind: ServedKind;
  readonly version: ServedVersion;
}

/** The served kinds. Kinds of the constructor are always served. A custom kind is served until its CRD is deleted. */
export class Kinds {
  readonly #kinds = new Map<string, ServedKind>();
  readonly #definitions = new Map<string, { readonly resource: string; readonly isGoingAway: boolean }>();

  constructor(kinds: readonly ServedKind[]) {
    for (const kind of kinds) this.#kinds.set(resourceKey(kind), kind);
  }

  copy(): Kinds {
    const copy = new Kinds(this.all);
    for (const [name, definition] of this.#definitions) copy.#definitions.set(name, definition);
    return copy;
  }

  get all(): readonly ServedKind[] {
    return [...this.#kinds.values()];
  }

  find(resource: ResourceName): Served | undefined {
    const kind = this.#kinds.get(resourceKey(resource));
    const version = kind?.versions.find(({ name }) => name === resource.version);
    return kind && version && { kind, version };
  }

  /** Returns the kind of a CRD; undefined if the kind is not served. */
  definedBy(definition: ServerObject): ServedKind | undefined {
    const resource = this.#definitions.get(definition.metadata.name)?.resource;
    return resource === undefined ? undefined : this.#kinds.get(resource);
  }

  /** Begins to serve the kind of a CRD, or replaces the kind after a change of its CRD. */
  define(definition: ServerObject, kind: ServedKind): void {
    const resource = resourceKey(kind);
    const isGoingAway = definition.metadata.deletionTimestamp !== undefined;
    this.#definitions.set(definition.metadata.name, { resource, isGoingAway });
    this.#kinds.set(resource, { ...kind, isCustom: true });
  }

  undefine(definition: ServerObject): void {
    const resource = this.#definitions.get(definition.metadata.name)?.resource;
    if (resource !== undefined) this.#kinds.delete(resource);
    this.#definitions.delete(definition.metadata.name);
  }

  isGoingAway(kind: ServedKind): boolean {
    if (kind.isCustom !== true) return false;
    const definition = this.#definitions.get(`${kind.plural}.${kind.group}`);
    return definition?.isGoingAway === true;
  }
}
