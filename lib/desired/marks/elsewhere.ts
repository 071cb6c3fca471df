import { shortHash } from '#lib/desired/canonical/canonical.ts';
import type { ObjectMeta, OwnerReference } from '#lib/kind/handles/reference.ts';

/** The label of every child elsewhere, see `elsewhere()`. The value is the uid of the resource. */
export const ELSEWHERE_LABEL = 'cdk8s-reconcile/elsewhere';

/** The annotation of a child elsewhere with the definition and the place of its resource; see {@link parentMarkOf}. */
export const PARENT_MARK = 'cdk8s-reconcile/parent';

/**
 * The number of characters of the hash, about 57 bits. A user can create resources again and again, until the hash is the end
 * of the name of an existing object. With this length, that takes far too many attempts.
 */
const ELSEWHERE_HASH_LENGTH = 12;

/** The members of a resource that identify it in a child elsewhere. */
type Parent = Pick<Required<ObjectMeta>, 'namespace' | 'name' | 'uid'>;

/**
 * The end of the name of every child elsewhere of a resource. The API server chooses the uid, so that the author of a resource
 * cannot choose the name of an object that exists already.
 */
export const elsewhereEnding = ({ namespace, name, uid }: Parent): string =>
  `-${shortHash([namespace, name, uid], ELSEWHERE_HASH_LENGTH)}`;

/**
 * The name of a child outside of the namespace of its resource: `<name>-<hash>`, with a hash of the namespace, the name and the
 * uid of the resource. Objects of different resources never have the same name, apart from collisions of hashes.
 *
 * @param resource - the resource
 * @param name - the beginning of the name. A name of at most 50 characters gives a valid DNS label
 * @example
 * apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: elsewhereName(resource, 'web'), namespace: 'monitoring' } })
 */
export const elsewhereName = ({ metadata }: { readonly metadata: Parent }, name: string): string =>
  `${name}${elsewhereEnding(metadata)}`;

/** The part of an object that has the marks of a child elsewhere. */
export interface MarkedObject {
  readonly metadata?:
    | {
        readonly name?: string;
        readonly namespace?: string;
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      }
    | undefined;
}

/** The resource of a child elsewhere, as the marks of the child name it. */
export interface MarkedParent {
  /** The key of the owner label of the definition, which no other definition has. */
  readonly definition: string;
  readonly namespace: string;
  readonly owner: OwnerReference;
}

/**
 * The value of the annotation {@link PARENT_MARK}, such as
 * `app.example.com/podset app.example.com/v1 PodSet team-a/web`.
 */
export const parentMarkOf = ({ definition, namespace, owner }: MarkedParent): string =>
  `${definition} ${owner.apiVersion} ${owner.kind} ${namespace}/${owner.name}`;

/**
 * The resource to which the marks of an object belong. Undefined for an object without complete marks, for an object in the
 * namespace of the resource, and for an object with a name that does not end with the hash of the resource. A client with the
 * right to change an object can therefore not turn an object of another name into a child.
 */
export const markedParentOf = ({ metadata }: MarkedObject): MarkedParent | undefined => {
  const uid = metadata?.labels?.[ELSEWHERE_LABEL];
  const mark = metadata?.annotations?.[PARENT_MARK];
  if (uid === undefined || mark === undefined) return undefined;
  const [definition, apiVersion, kind, place, ...rest] = mark.split(' ');
  const [namespace, name, ...more] = place?.split('/') ?? [];
  if (!definition || !apiVersion || !kind || !namespace || !name || rest.length + more.length > 0) return undefined;
  const isPlaced =
    metadata?.namespace !== namespace && metadata?.name?.endsWith(elsewhereEnding({ namespace, name, uid }));
  return isPlaced ? { definition, namespace, owner: { apiVersion, kind, name, uid } } : undefined;
};
