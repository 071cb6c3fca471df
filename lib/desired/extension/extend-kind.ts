import type { AnyKindDefinition, AnyResource, ResourceMeta } from '#lib/desired/definition.ts';
import type { Observation } from '#lib/desired/observation.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { keep, release } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { callsAuthor } from '#lib/desired/runaway/author-function.ts';
import type { OperatorSettings } from '#lib/desired/settings/operator-settings.ts';
import { InvalidDesiredError, type Issue } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import type { Extension, ParentSelection } from '#lib/kind/extension.ts';
import { type KindRef, type KubeObject, reading, resourceName } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { isParent } from './parents.ts';

/** A parent of an extension, as the function receives it: the declared fields, and complete metadata. */
export type ParentOf<O extends KubeObject> = Omit<O, 'metadata'> & {
  /** `generation` is 0 if the kind has none. */
  readonly metadata: ResourceMeta;
};

/**
 * The result of the function of an extension. There is no status, because the status of the parent belongs to another controller.
 */
export type ExtensionResult = Pick<Desired<unknown>, 'children' | 'partial' | 'state' | 'events'>;

/**
 * Options of {@link extendKind}: the existing kind, the identity of the extension, and the function that returns the children.
 *
 * @typeParam O - the type of the parents
 */
export interface ExtensionOptions<O extends KubeObject> {
  /** The handle of the existing kind, such as Namespace. */
  readonly of: KindRef<O>;
  /**
   * Paths of the fields of the parent that the function reads besides metadata. The function cannot rely on other fields.
   *
   * @default the fields of the handle
   */
  readonly fields?: readonly string[];
  /**
   * The name of the extension, a DNS label such as `tenant-defaults`. Name and group identify the extension in labels, field
   * managers, metrics and events.
   */
  readonly name: string;
  /** A domain that you own, with at least one dot, such as `platform.acme.io`. */
  readonly group: string;
  readonly description?: string;
  /**
   * Selects the parents. Namespaces `kube-*`, and the objects in them, match only if the selection has the name of the namespace.
   *
   * @default all other objects
   */
  readonly where?: ParentSelection;
  /** Kinds of the children. Children of a namespaced parent are in its namespace, except for those of `elsewhere()`. */
  readonly owns: readonly KindRef[];
  /** Kinds of the objects that the function looks up. */
  readonly reads?: readonly KindRef[];
  /** Settings of the operator that the function reads in `seen.settings`. @default none */
  readonly operatorSettings?: readonly (keyof OperatorSettings)[];
  /** Whether the children of a parent that no longer matches `where` are removed or kept. @default 'remove' */
  readonly onRelease?: 'remove' | 'keep';
  /** Reports the state of the extension in one entry of `status.conditions` of the parent. @default no report */
  readonly condition?: { readonly type: string };
  /** Reports the state of the extension in the annotation `<group>/<name>` of the parent. @default no report */
  readonly annotation?: boolean;
  desired(this: void, seen: Observation<ParentOf<O>>): ExtensionResult;
}

const noFields = s.object({});

const surplusIssues = (result: object): Issue[] =>
  ['status', 'conditions', 'effects']
    .filter((member) => member in result)
    .map((member) => ({
      path: member,
      rule: 'extension-result',
      message: 'must be absent: the status of the parent belongs to another controller',
      fix: 'return children, state, and events; report with the options condition or annotation of extendKind()',
    }));

/**
 * Issues of a handle with a wrong scope. The API server lists the objects nevertheless, but children would have a wrong
 * namespace.
 */
const scopeIssues = ({ of }: Extension, { metadata: { namespace } }: AnyResource): Issue[] => {
  const scope = namespace === '' ? 'Cluster' : 'Namespaced';
  if (scope === of.scope) return [];
  const message = `the objects of ${resourceName(of)} have the scope ${scope}`;
  return [{ path: 'of', rule: 'extension-handle', message, value: of.scope, fix: `set the scope ${scope}` }];
};

/** The result for a parent that does not match the selection. Remaining children are pruned or released. */
const released = ({ onRelease }: Extension, owns: readonly KindRef[], { children }: Observation<unknown>) => ({
  children:
    onRelease === 'remove'
      ? []
      : owns
          .flatMap((kind) => children.of(kind))
          .map((child) => (child.metadata?.deletionTimestamp === undefined ? release(child) : keep(child))),
  status: {},
  state: ready('Released', 'the extension does not select this object'),
});

/**
 * Extends a kind that exists already, such as Namespace or Ingress, without a CRD of its own. The result is used like any other
 * definition: in `run()`, `Operator`, tests, and the project of the command line.
 *
 * Children have the label `<group>/<name>: <uid of the parent>`, and an owner reference to the parent with `controller` unset.
 * Therefore the controller of the parent does not count the children as its own. By default, the garbage collector deletes the
 * children with the parent. The parent gets no finalizer. Children elsewhere have other marks, and the loop deletes them; see
 * `elsewhere()`.
 *
 * @param options - the existing kind, the identity of the extension, and the function
 * @returns a definition
 * @example
 * export const tenantDefaults = extendKind({
 *   of: Namespace, name: 'tenant-defaults', group: 'platform.acme.io',
 *   where: { labels: { 'acme.io/tenant': 'true' } },
 *   owns: [ConfigMap],
 *   desired: ({ resource: { metadata } }) => ({
 *     children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tenant', namespace: metadata.name } })],
 *     state: ready('Said', 'the namespace has its ConfigMap'),
 *   }),
 * });
 */
export const extendKind = <O extends KubeObject>(options: ExtensionOptions<O>): AnyKindDefinition => {
  const { of, name, group, description, where, owns, reads, operatorSettings, desired } = options;
  const parent = options.fields ? { ...of, fields: options.fields } : of;
  const extension: Extension = {
    of: options.condition ? reading(parent, ['status.conditions']) : parent,
    onRelease: options.onRelease ?? 'remove',
    ...(where && { where }),
    ...(options.condition && { condition: options.condition }),
    ...(options.annotation === true && { annotation: true }),
  };
  const desiredOf = (seen: Observation<AnyResource>): Desired<unknown> => {
    const misplaced = scopeIssues(extension, seen.resource);
    if (misplaced.length > 0) throw new InvalidDesiredError(`${name} of ${of.kind}`, misplaced);
    if (!isParent(extension, seen.resource)) return released(extension, owns, seen);
    const result: unknown = desired(seen as unknown as Observation<ParentOf<O>>);
    // A later check reports a result that is not an object, such as a promise.
    if (!isPlainObject(result)) return result as Desired<unknown>;
    const issues = surplusIssues(result);
    if (issues.length > 0) throw new InvalidDesiredError(`${name} of ${of.kind}`, issues);
    return { ...(result as unknown as ExtensionResult), status: {} };
  };
  return {
    extension,
    group,
    version: of.apiVersion.slice(of.apiVersion.indexOf('/') + 1),
    kind: name,
    plural: name,
    scope: of.scope,
    ...(description !== undefined && { description }),
    spec: noFields,
    status: noFields,
    owns,
    ...(reads && { reads }),
    ...(operatorSettings && { operatorSettings }),
    desired: callsAuthor(desiredOf, desired),
  };
};
