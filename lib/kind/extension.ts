import type { KindRef } from './handles/reference.ts';

/**
 * The objects of an existing kind that an extension acts on. An object must match every member that is present. An object of a
 * namespace `kube-*`, or the namespace itself, matches only if the selection names this namespace.
 */
export interface ParentSelection {
  /** The labels of the parents, each with this value. @default any labels */
  readonly labels?: Readonly<Record<string, string>>;
  /** The names of the parents. @default any name */
  readonly names?: readonly string[];
  /** The namespaces of the parents; only for a namespaced kind. @default all namespaces except those named `kube-*` */
  readonly namespaces?: readonly string[];
}

/** The members of a definition that acts on objects of an existing kind, as `extendKind()` makes them. */
export interface Extension {
  /** The handle of the existing kind; the function receives its declared fields. */
  readonly of: KindRef;
  /** Selects the parents. @default all objects, except namespaces named `kube-*` and the objects in them */
  readonly where?: ParentSelection;
  /**
   * The children of a parent that no longer matches. `remove` deletes these children. `keep` releases the children, which then
   * no longer belong to the extension.
   */
  readonly onRelease: 'remove' | 'keep';
  /** The entry of `status.conditions` of the parent that the extension writes. @default none */
  readonly condition?: { readonly type: string };
  /** Whether the extension writes its state into the annotation `<group>/<name>` of the parent. @default false */
  readonly annotation?: boolean;
}
