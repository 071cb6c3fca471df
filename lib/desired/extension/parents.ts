import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { carries } from '#lib/desired/observe/selection.ts';
import type { Extension } from '#lib/kind/extension.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';

/** The prefix of the namespaces of Kubernetes itself. An extension selects such a namespace only by its name. */
const SYSTEM_PREFIX = 'kube-';

/** A label that each namespace has. The value of the label is the name of the namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** True for the handle of the core kind Namespace. */
export const isNamespaceKind = ({ apiVersion, kind }: KindRef): boolean => apiVersion === 'v1' && kind === 'Namespace';

/** True for the namespaces of Kubernetes itself, `kube-*`. */
export const isSystemNamespace = (name: string): boolean => name.startsWith(SYSTEM_PREFIX);

/** The namespaces that an extension selects by name. */
const namedNamespaces = ({ of, where = {} }: Extension): readonly string[] => {
  if (!isNamespaceKind(of)) return where.namespaces ?? [];
  const labelled = where.labels?.[NAME_LABEL];
  return [...(where.names ?? []), ...(labelled === undefined ? [] : [labelled])];
};

/**
 * True if the selection of an extension matches an object. Objects of a namespace `kube-*` match only if the selection names this
 * namespace.
 */
export const isParent = (extension: Extension, object: Readonly<KubeObject>): boolean => {
  const { of, where = {} } = extension;
  const { name = '', namespace = '' } = object.metadata ?? {};
  const home = isNamespaceKind(of) ? name : namespace;
  if (isSystemNamespace(home) && !namedNamespaces(extension).includes(home)) return false;
  return (
    (where.names?.includes(name) ?? true) &&
    (where.namespaces?.includes(namespace) ?? true) &&
    carries(object, where.labels ?? {})
  );
};

/** The kinds that have a CustomResourceDefinition: all kinds except extensions. */
export const definedKinds = (kinds: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] =>
  kinds.filter(({ extension }) => extension === undefined);
