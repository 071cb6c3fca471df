import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { isParent } from '#lib/desired/extension/parents.ts';
import { isSameKind } from '#lib/desired/observe/declared-kind.ts';
import { type State, stalled } from '#lib/desired/result/state.ts';
import type { Extension } from '#lib/kind/extension.ts';
import { type KindRef, type KubeObject, resourceName } from '#lib/kind/handles/reference.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { ALLOW_PRUNE, consentFor } from '#lib/plan/decide/consent.ts';
import { identityOf } from '#lib/plan/identity.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { childCountIn } from './children.ts';

/** The reason of the state of a parent that waits for consent. */
export const RELEASE_NEEDS_CONSENT = 'ReleaseNeedsConsent';

/** At the start, one parent, or at most one in this number of parents with children, is released without consent. */
const UNASKED_SHARE = 10;

/** The verb for the children of a parent that an extension no longer selects. */
const fate = ({ onRelease }: Extension): string => (onRelease === 'remove' ? 'deleted' : 'released');

/** The definition of an extension, and the caches of its loop. */
interface Holding {
  readonly definition: AnyKindDefinition;
  readonly resources: ObjectCache;
  /** The cache of each kind in `owns`. */
  readonly children: ReadonlyMap<KindRef, ObjectCache>;
  readonly log: Pick<Logger, 'warn'>;
}

/** The part of a snapshot that decides whether a parent waits. */
interface SeenParent {
  readonly resource: AnyResource;
  readonly children: readonly object[];
}

/** The parents that wait for consent, by uid, and the counts of the comparison at the start. */
interface Held {
  readonly waiting: Set<string>;
  /** The number of parents that waited at first. */
  readonly leaving: number;
  readonly parents: number;
}

/**
 * Returns the parents that an extension would release at its start, if their release needs consent: they are more than one, and
 * more than a tenth of the parents with children.
 *
 * @param parents - the parents with children of the extension
 */
const massRelease = <T extends KubeObject>(extension: Extension, parents: readonly T[]): readonly T[] => {
  const leaving = parents.filter((parent) => !isParent(extension, parent));
  return leaving.length > 1 && leaving.length * UNASKED_SHARE > parents.length ? leaving : [];
};

/** The parents that would wait for consent, and the number of parents with children. */
export interface ForeseenReleases {
  readonly leaving: number;
  readonly parents: number;
  /** A sentence for users. */
  readonly text: string;
}

/**
 * Counts the parents that would wait for consent if the loop started with these objects.
 *
 * @param objects - the objects of the cluster, with those of the kinds that the extension owns
 * @returns undefined when no parent would wait
 */
export const foreseenReleases = (
  definition: AnyKindDefinition,
  objects: readonly KubeObject[],
): ForeseenReleases | undefined => {
  const { extension, owns } = definition;
  if (extension === undefined) return undefined;
  const owners = new Set(
    owns.flatMap((kind) => {
      const identity = identityOf(definition, kind);
      return objects.filter((object) => isSameKind(kind, object)).map((child) => identity.ownerOf(child)?.uid);
    }),
  );
  const all = objects.filter((object) => isSameKind(extension.of, object) && owners.has(object.metadata?.uid));
  const parents = all.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const leaving = massRelease(extension, parents).length;
  if (leaving === 0) return undefined;
  const what = `${definition.kind} no longer matches ${leaving} of ${parents.length} ${resourceName(extension.of)} with children`;
  const text = `${what}: after a start of the operator, their children stay until the annotation ${ALLOW_PRUNE}=${definition.kind}.${definition.group}=<number of children> of each of them allows that they are ${fate(extension)}`;
  return { leaving, parents: parents.length, text };
};

const parentsWithChildren = (
  { definition, resources, children }: Holding,
  namespace: string | undefined,
): readonly CachedObject[] => {
  return [...resources.all()].filter(({ metadata }) => {
    const at = { namespace: '', ...metadata };
    const isHere = namespace === undefined || at.namespace === namespace;
    if (!isHere || metadata.deletionTimestamp !== undefined) return false;
    return [...children].some(([kind, cache]) => childCountIn({ definition, kind, cache }, at) > 0);
  });
};

/**
 * Holds back the releases of a changed definition. At the start of the loop, the children that exist show which parents the
 * extension selected before. If the extension would release several of these parents, and more than a tenth, each of
 * them waits for the consent of a user. Other parents do not wait. A parent that stops matching later is released at once.
 *
 * Assumptions: the caches are filled before the first call.
 *
 * Caveats: labels that many parents lost while no operator ran look the same as a changed definition, and wait, too.
 */
export class HeldReleases {
  /** The result of the comparison at the start: for all namespaces together, or for each namespace with a watch of its own. */
  readonly #held = new Map<string | undefined, Held>();
  readonly #around: Holding;

  constructor(around: Holding) {
    this.#around = around;
  }

  /** Drops the result of the comparison, because the caches are filled anew. The next pass repeats the comparison. */
  clear(): void {
    this.#held.clear();
  }

  /** The state of a parent that waits for consent; undefined for any other parent. */
  stateOf({ resource, children }: SeenParent): State | undefined {
    const { definition } = this.#around;
    const { extension } = definition;
    if (extension === undefined) return undefined;
    const { uid, namespace } = resource.metadata;
    const { waiting, leaving, parents } = this.#heldIn(extension, namespace);
    if (!waiting.has(uid)) return undefined;
    if (children.length === 0 || isParent(extension, resource)) {
      waiting.delete(uid);
      return undefined;
    }
    const consent = consentFor({ definition, resource }, children.length);
    if (consent.isGiven) return undefined;
    const what = `${leaving} of ${parents} ${resourceName(extension.of)} with children no longer match the extension since the operator started, and the children would be ${fate(extension)}`;
    return stalled(RELEASE_NEEDS_CONSENT, `${what}; to allow it for this object, annotate ${consent.annotation}`);
  }

  #heldIn(extension: Extension, home: string): Held {
    const namespace = this.#around.resources.namespaces === undefined || home === '' ? undefined : home;
    const known = this.#held.get(namespace);
    if (known) return known;
    const parents = parentsWithChildren(this.#around, namespace);
    const leaving = massRelease(extension, parents);
    const waiting = new Set(leaving.map(({ metadata }) => metadata.uid));
    const held = { waiting, leaving: leaving.length, parents: parents.length };
    this.#held.set(namespace, held);
    if (leaving.length > 0)
      this.#around.log.warn(
        {
          parents: parents.length,
          waiting: leaving.length,
          consent: `${ALLOW_PRUNE} of each parent`,
          ...(namespace && { namespace }),
        },
        'many parents no longer match the extension: their children stay until each parent has the consent in its annotation',
      );
    return held;
  }
}
