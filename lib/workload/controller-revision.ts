import type { ControllerRevision as KubeControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { canonicalText } from '#lib/desired/canonical/canonical.ts';
import { digestOf, keptDigestOf } from '#lib/desired/canonical/digest.ts';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import type { Revision } from '#lib/desired/steering.ts';
import { isPlainObject, parsedJson } from '#lib/json.ts';
import { templateHash } from './pod-template.ts';

/**
 * The label with the hash of the template, as on the ControllerRevisions of Kubernetes.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/history/controller_history.go
 * (ControllerRevisionHashLabel)
 */
const HASH_LABEL = 'controller.kubernetes.io/hash';

/** The input of {@link revisionObject}. */
export interface RevisionInput extends Omit<Revision, 'name'> {
  /** The name of the resource, which is the prefix of the name of the ControllerRevision. */
  readonly owner: string;
  /** Labels of the object, such as the labels by which the resource selects orphans. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the object. */
  readonly annotations?: Readonly<Record<string, string>>;
}

const hex = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The maximum length of a text in the caches, in characters. Longer texts would double the memory of their templates. */
const MAX_KEPT_LENGTH = 4096;

/** The texts of frozen templates, because every pass would convert the same templates to text again. */
const written = new WeakMap<object, string>();

/** The JSON text of a value in ASCII. Characters that Go escapes and JavaScript does not are escaped as well. */
const asciiJson = (value: object): string => {
  const known = written.get(value);
  if (known !== undefined) return known;
  const text = canonicalText(value).replaceAll(/[<>&\u007f-\uffff]/g, hex);
  if (Object.isFrozen(value) && text.length <= MAX_KEPT_LENGTH) written.set(value, text);
  return text;
};

/** The name of the ControllerRevision of a template: `<owner>-<hash>`. */
export const revisionName = (owner: string, hash: string): string => `${owner}-${hash}`;

/**
 * Makes the ControllerRevision of a template.
 *
 * Guarantees: `data` contains one ASCII string, `{"template": "{…}"}`, which Go and JavaScript format in the same way. The API
 * server compares `data` byte by byte, and Go formats it again in a later patch, for example by the garbage collector. The string
 * also keeps empty lists and maps, which an intent would drop. Null members are omitted, as in the hash.
 *
 * @param input - the owner, the template, its hash and its number
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/validation/validation.go
 * (ValidateControllerRevisionUpdate)
 * @example
 * apply(revisionObject({ owner: 'web', hash: templateHash(template), number: 1, template }))
 */
export const revisionObject = ({ owner, hash, number, template, labels, annotations }: RevisionInput) => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: revisionName(owner, hash),
    labels: { ...labels, [HASH_LABEL]: hash },
    ...(annotations && { annotations: { ...annotations } }),
  },
  revision: number,
  data: { template: asciiJson(template) },
});

const isTemplate = (value: unknown): value is PodTemplateSpec => isPlainObject(value) && isPlainObject(value['spec']);

/** Parsed templates by their texts, frozen. The map is cleared when it is full. */
const parsed = new Map<string, unknown>();
const MAX_PARSED = 64;

const parsedOnce = (text: string): unknown => {
  if (parsed.has(text)) return parsed.get(text);
  const value = deepFreeze(parsedJson(text));
  if (text.length > MAX_KEPT_LENGTH) return value;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, value);
  return value;
};

const tryTemplate = (data: unknown): PodTemplateSpec | undefined => {
  const text = isPlainObject(data) ? data['template'] : undefined;
  const template = typeof text === 'string' ? parsedOnce(text) : undefined;
  return isTemplate(template) ? template : undefined;
};

/** The digests of the revisions that `revisionOnDemand` made. */
const digests = new WeakMap<Revision, string>();

const revisionOnDemand = (
  object: Readonly<KubeControllerRevision>,
  revision: Omit<Revision, 'template'>,
  digest: string,
): Revision => {
  const onDemand: Revision = {
    ...revision,
    get template() {
      const template = tryTemplate(object.data);
      if (template === undefined) throw new TypeError(`ControllerRevision "${revision.name}" holds no template`);
      return template;
    },
  };
  digests.set(onDemand, digest);
  return onDemand;
};

/**
 * Reads a revision from a ControllerRevision. If the cache keeps only a digest of `data`, the first read of the template makes
 * the loop get the object from the API server and call the function again: see `KindRef.onDemand`.
 *
 * @returns undefined for an object without the label, the form of the name, or the template of {@link revisionObject}. The
 * template of an object with a digest is not checked
 */
export const tryRevision = (object: Readonly<KubeControllerRevision>): Revision | undefined => {
  const { name = '', labels = {} } = object.metadata ?? {};
  const hash = labels[HASH_LABEL];
  if (hash === undefined || !name.endsWith(`-${hash}`)) return undefined;
  const revision = { name, hash, number: object.revision };
  const digest = keptDigestOf(object);
  if (digest !== undefined) return revisionOnDemand(object, revision, digest);
  const template = tryTemplate(object.data);
  return template && { ...revision, template };
};

const byNumber = (a: Revision, b: Revision): number => a.number - b.number || (a.name < b.name ? -1 : 1);

/**
 * Reads the revisions from ControllerRevisions, sorted by number. Objects for which {@link tryRevision} returns undefined are
 * left out.
 */
export const revisionsOf = (objects: readonly Readonly<KubeControllerRevision>[]): Revision[] =>
  objects
    .flatMap((object) => {
      const revision = tryRevision(object);
      return revision === undefined ? [] : [revision];
    })
    .toSorted(byNumber);

/** Options of {@link currentRevision}. */
export interface RevisionOptions {
  readonly owner: string;
  /** The result of {@link revisionsOf}. */
  readonly revisions: readonly Revision[];
  /** The value of `status.collisionCount`: the number of hash collisions so far. @default 0 */
  readonly collisionCount?: number;
}

/** The revision of the desired template. */
export interface CurrentRevision extends Revision {
  /** The new value of `status.collisionCount`, not smaller than the given value. */
  readonly collisionCount: number;
}

/** Digests are compared where possible, so that large templates are not parsed. */
const keeps = (template: PodTemplateSpec): ((revision: Revision) => boolean) => {
  const text = asciiJson(template);
  let own: string | undefined;
  return (revision) => {
    const digest = digests.get(revision);
    if (digest === undefined) return asciiJson(revision.template) === text;
    own ??= digestOf({ template: text });
    return digest === own;
  };
};

/**
 * Finds the revision of a template, or computes a new revision. An existing revision gets a new number if another revision
 * has a higher number, as after a rollback.
 *
 * Guarantees: until the new revision is observed, the result stays the same, so a repeated create does not make a second
 * revision.
 *
 * @param template - the desired template
 * @param options - the owner, the existing revisions and the collision count
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
 * (getStatefulSetRevisions)
 */
export const currentRevision = (
  template: PodTemplateSpec,
  { owner, revisions, collisionCount = 0 }: RevisionOptions,
): CurrentRevision => {
  const newest = revisions.at(-1);
  const next = (newest?.number ?? 0) + 1;
  const equal = revisions.findLast(keeps(template));
  if (equal !== undefined) {
    const { name, hash } = equal;
    return { name, hash, template, collisionCount, number: equal === newest ? equal.number : next };
  }
  let count = collisionCount;
  let hash = templateHash(template, count);
  const taken = new Set(revisions.map((revision) => revision.hash));
  while (taken.has(hash)) hash = templateHash(template, ++count);
  return { name: revisionName(owner, hash), hash, number: next, template, collisionCount: count };
};

/**
 * Returns the revisions beyond the limit of the history: the oldest unused revisions.
 *
 * @param revisions - the result of {@link revisionsOf}
 * @param options - `limit`: the number of unused revisions to keep, ≥ 0; `used`: hashes of revisions that are desired, that pods
 *   have, or that a rollback needs; these revisions do not count towards the limit
 */
export const surplusRevisions = (
  revisions: readonly Revision[],
  { limit, used }: { readonly limit: number; readonly used: ReadonlySet<string> },
): readonly Revision[] => {
  const unused = revisions.filter(({ hash }) => !used.has(hash));
  return unused.slice(0, Math.max(0, unused.length - limit));
};
