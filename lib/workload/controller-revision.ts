import type { ControllerRevision as KubeControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { canonicalText } from '#lib/desired/canonical/canonical.ts';
import { digestOf, keptDigestOf } from '#lib/desired/canonical/digest.ts';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import type { Revision } from '#lib/desired/steering.ts';
import { isPlainObject, parsedJson } from '#lib/json.ts';
import { templateHash } from './pod-template.ts';

/**
 * The label of a ControllerRevision with the hash of its template.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/history/controller_history.go (ControllerRevisionHashLabel)
 */
const HASH_LABEL = 'controller.kubernetes.io/hash';

/** A revision to be kept as an object. */
export interface RevisionInput extends Omit<Revision, 'name'> {
  /** Name of the resource; with it the name of the object must stay within 253 characters. */
  readonly owner: string;
  /** Labels of the object, such as those that the resource selects orphans by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the object, for data to keep with the template. */
  readonly annotations?: Readonly<Record<string, string>>;
}

const hex = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Longer texts are computed each time, because keeping them would double the memory of their templates. */
const MAX_KEPT_LENGTH = 4096;

/** Texts of frozen templates: those of the cache are written again in every pass. */
const written = new WeakMap<object, string>();

/** JSON in ASCII, and without the characters that Go escapes and JavaScript does not. */
const asciiJson = (value: object): string => {
  const known = written.get(value);
  if (known !== undefined) return known;
  const text = canonicalText(value).replaceAll(/[<>&\u007f-\uffff]/g, hex);
  if (Object.isFrozen(value) && text.length <= MAX_KEPT_LENGTH) written.set(value, text);
  return text;
};

/** The name of the object that keeps a revision. */
export const revisionName = (owner: string, hash: string): string => `${owner}-${hash}`;

/**
 * The ControllerRevision that keeps a template.
 *
 * Guarantees: the API server compares `data` byte by byte, and after a later patch (such as by the garbage collector that
 * orphans it) Go formats `data` again: keys sorted, `<`, `>` and `&` escaped, numbers in Go's format. So the template is one
 * ASCII string, which Go and JavaScript format alike: `data: {"template": "{…}"}`. It keeps empty lists and maps, which this
 * library drops from intents as the API server does; null members are left out, as in the hash.
 *
 * @param input - the template, its hash and its number
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/validation/validation.go (ValidateControllerRevisionUpdate)
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

/** Templates by their texts, frozen; forgotten when there are many. */
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

/** Digests of revisions whose templates are parsed at their first use. */
const digests = new WeakMap<Revision, string>();

/** A revision whose template is parsed at its first use. */
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
 * Reads a revision from its object. A large template is parsed only when it is first used; {@link currentRevision} compares
 * templates by their digests.
 *
 * @returns undefined for an object that {@link revisionObject} did not make
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

/** The revisions that some objects keep, oldest first; objects of others are passed over. */
export const revisionsOf = (objects: readonly Readonly<KubeControllerRevision>[]): Revision[] =>
  objects
    .flatMap((object) => {
      const revision = tryRevision(object);
      return revision === undefined ? [] : [revision];
    })
    .toSorted(byNumber);

/** The revisions to search for that of a template. */
export interface RevisionOptions {
  readonly owner: string;
  /** As {@link revisionsOf} gives them. */
  readonly revisions: readonly Revision[];
  /** From the status; counts the hashes that turned out to be taken by another template. @default 0 */
  readonly collisionCount?: number;
}

/** A template as a revision. */
export interface CurrentRevision extends Revision {
  /** For the status; at least the count that was given. */
  readonly collisionCount: number;
}

/** Whether a revision has a template, without parsing its own. */
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
 * The revision of a template. If a revision with this template exists, as after a rollback, it is used again, as for StatefulSets
 * and DaemonSets; it gets a new number if another revision has a higher number. Otherwise it is a new revision to be created.
 *
 * Until the new revision is observed, the result stays the same, so that a repeated create does not make a second revision.
 *
 * @param template - the desired template
 * @param options - the revisions that there are
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (getStatefulSetRevisions)
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
 * @param options - `limit`: number of unused revisions to keep, ≥ 0; `used`: hashes of revisions that are wanted, that pods
 * have, or that a rollback needs; these revisions do not count towards the limit
 */
export const surplusRevisions = (
  revisions: readonly Revision[],
  { limit, used }: { readonly limit: number; readonly used: ReadonlySet<string> },
): readonly Revision[] => {
  const unused = revisions.filter(({ hash }) => !used.has(hash));
  return unused.slice(0, Math.max(0, unused.length - limit));
};
