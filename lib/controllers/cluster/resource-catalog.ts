import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { groupVersionOf, resourceKey, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { equalJson } from '#lib/json.ts';
import { findCondition } from '../conditions.ts';
import type { ActorContext } from '../context.ts';
import type { Informer } from '../informer.ts';
import type { StatusCondition } from '../workload.ts';

/** A resource with an informer for its objects. */
export interface CatalogEntry {
  /** The name of the resource, with its storage version. If that version is not served, the name has the first served version. */
  readonly resource: ResourceName;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly versions: readonly string[];
  readonly informer: Informer;
}

type ChangeHandler = (entry: CatalogEntry, now: ServerObject | undefined, before: ServerObject | undefined) => void;

type Discovered = Omit<CatalogEntry, 'informer'>;

interface CustomResourceDefinition extends ServerObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
  readonly status?: { readonly conditions?: readonly StatusCondition[] };
}

const fromKind = ({ group, plural, kind, scope, versions, storageVersion }: ServedKind): Discovered => ({
  resource: { group, version: storageVersion, plural },
  kind,
  isNamespaced: scope === 'Namespaced',
  versions: versions.map(({ name }) => name),
});

const fromDefinition = ({ spec, status }: CustomResourceDefinition): Discovered | undefined => {
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (!version || findCondition(status?.conditions, 'Established')?.status !== 'True') return undefined;
  return {
    resource: { group: spec.group, version: version.name, plural: spec.names.plural },
    kind: spec.names.kind,
    isNamespaced: spec.scope === 'Namespaced',
    versions: served.map(({ name }) => name),
  };
};

/**
 * The resources of the given built-in kinds, of CustomResourceDefinition, and of established CustomResourceDefinitions with a
 * served version.
 */
export class ResourceCatalog {
  readonly #context: ActorContext;
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #handlers: ChangeHandler[] = [];
  readonly #kindHandlers: (() => void)[] = [];
  #sorted: readonly CatalogEntry[] | undefined;

  /** @param kinds - the built-in kinds that the server serves */
  constructor(context: ActorContext, kinds: readonly ServedKind[]) {
    this.#context = context;
    for (const kind of kinds) this.#add(fromKind(kind));
    if (!this.#addDefinitions()) return;
    context.informers.of(resources.definitions).subscribe((now, before) => {
      const definition = (now ?? before) as CustomResourceDefinition;
      const discovered = now && fromDefinition(definition);
      if (discovered) this.#add(discovered);
      else this.#remove(definition.metadata.name);
    });
  }

  /** All entries, sorted by group and plural. The result is the same list until a kind appears or disappears. */
  get entries(): readonly CatalogEntry[] {
    this.#sorted ??= [...this.#entries.values()].toSorted(
      (a, b) => byText(a.resource.group, b.resource.group) || byText(a.resource.plural, b.resource.plural),
    );
    return this.#sorted;
  }

  /** Finds the resource to which an owner reference points; undefined for a kind or version that is not served. */
  find(apiVersion: string, kind: string): CatalogEntry | undefined {
    const { group, version } = groupVersionOf(apiVersion);
    return this.entries.find(
      (entry) => entry.kind === kind && entry.resource.group === group && entry.versions.includes(version),
    );
  }

  /** Calls `handler` for every object of every resource, then for every change. */
  subscribe(handler: ChangeHandler): void {
    this.#handlers.push(handler);
    for (const entry of this.entries) for (const object of entry.informer.all()) handler(entry, object, undefined);
  }

  /** Calls `handler` when a resource appears or disappears, or its versions change. */
  onKinds(handler: () => void): void {
    this.#kindHandlers.push(handler);
  }

  /** Adds CustomResourceDefinition itself. Returns false when the server does not serve the kind. */
  #addDefinitions(): boolean {
    const [resource, kind] = [resources.definitions, 'CustomResourceDefinition'];
    try {
      this.#add({ resource, kind, isNamespaced: false, versions: [resource.version] });
      return true;
    } catch (error) {
      if (error instanceof StatusError) return false;
      throw error;
    }
  }

  /** Adds a resource, or updates its entry. The informer of an entry stays open, also when its version is no longer served. */
  #add(discovered: Discovered): void {
    const key = resourceKey(discovered.resource);
    const known = this.#entries.get(key);
    if (known) {
      const { informer: _, ...before } = known;
      if (equalJson(before, discovered)) return;
      Object.assign(known, discovered);
      for (const handler of this.#kindHandlers) handler();
      return;
    }
    const entry = { ...discovered, informer: this.#context.informers.of(discovered.resource) };
    this.#entries.set(key, entry);
    this.#sorted = undefined;
    entry.informer.subscribe((now, before) => {
      for (const handler of this.#handlers) handler(entry, now, before);
    });
    for (const handler of this.#kindHandlers) handler();
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#sorted = undefined;
    this.#context.informers.drop(entry.informer);
    for (const handler of this.#kindHandlers) handler();
  }
}
