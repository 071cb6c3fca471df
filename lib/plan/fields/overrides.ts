import { isPlainObject } from '#lib/json.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { amountOf } from './amount.ts';
import { shownMember } from './covers.ts';
import { ElementSteps } from './elements.ts';
import type { FieldWay } from './lost-fields.ts';
import type { FieldOverride, FieldTree } from './pin.ts';

type Scalar = FieldOverride['wanted'];

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/**
 * Whether two values have the same meaning. The server writes quantities and times in its own format. A wanted empty text equals
 * every value.
 */
const isSame = (wanted: Scalar, found: Scalar): boolean =>
  wanted === found ||
  wanted === '' ||
  amountOf(wanted) === amountOf(found) ||
  (/^\d{4}-\d\d-\d\dT/.test(String(wanted)) && Date.parse(String(wanted)) === Date.parse(String(found)));

interface Site {
  readonly way: FieldWay;
  readonly tree: FieldTree | undefined;
  readonly owner: string;
  /** Whether the object is complete. In an incomplete object, an absent field does not show that admission removed the field. */
  readonly isWhole: boolean;
}

/** Whether the server may omit a sent value from the object: `false`, 0 or the empty text (`omitempty`). */
const isLeftOut = (wanted: Scalar): boolean => wanted === false || wanted === 0 || wanted === '';

const inList = (
  wanted: readonly unknown[],
  found: readonly unknown[],
  { way, tree = {}, ...site }: Site,
): readonly FieldOverride[] => {
  const steps = new ElementSteps(tree);
  const places = steps.placesIn(found, site.owner);
  return wanted.flatMap((element, index) => {
    const [{ step } = {}] = steps.of(element, site.owner);
    if (step !== undefined)
      return within(element, found[places.get(step) ?? -1], { ...site, way: [...way, step], tree: tree[step] });
    // An element without keys is identified by its index, if both lists have the same length.
    if (wanted.length !== found.length) return [];
    return within(element, found[index], { ...site, way: [...way, `i:${index}`], tree: tree[`i:${index}`] });
  });
};

const within = (wanted: unknown, found: unknown, site: Site): readonly FieldOverride[] => {
  const { way, tree } = site;
  if (isScalar(wanted)) return isScalar(found) && !isSame(wanted, found) ? [{ way, wanted, found }] : [];
  if (Array.isArray(wanted)) return Array.isArray(found) ? inList(wanted, found, site) : [];
  if (!isPlainObject(wanted) || !isPlainObject(found)) return [];
  return Object.entries(wanted).flatMap(([name, member]) => {
    const below = { ...site, way: [...way, `f:${name}`], tree: tree?.[`f:${name}`] };
    const value = shownMember(found, name);
    return site.isWhole && value === undefined ? removed(member, below.way) : within(member, value, below);
  });
};

/** The overrides for an absent field. An absent list is ignored, because its elements cannot be identified. */
const removed = (wanted: unknown, way: FieldWay): readonly FieldOverride[] => {
  if (isScalar(wanted)) return isLeftOut(wanted) ? [] : [{ way, wanted, found: undefined }];
  if (!isPlainObject(wanted)) return [];
  return Object.entries(wanted).flatMap(([name, member]) => removed(member, [...way, `f:${name}`]));
};

/**
 * The fields of an intent without `stringData` of a Secret, and without the members of `data` that `stringData` replaces. The API
 * server merges `stringData` into `data`, and never stores it.
 */
const kept = (kind: string | undefined, fields: object): object => {
  if (kind !== 'Secret') return fields;
  const { stringData = {}, data, ...others } = fields as { readonly stringData?: object; readonly data?: object };
  const left = Object.entries(data ?? {}).filter(([name]) => !Object.hasOwn(stringData, name));
  return { ...others, data: Object.fromEntries(left) };
};

/** Options of {@link overridesOf}. */
export interface OverrideOptions {
  /** The uid of the parent. */
  readonly owner: string;
  /** The managed fields of the operator in the object, which contain the keys of list elements. */
  readonly tree: FieldTree | undefined;
  /** Whether the object is the complete response of the server, so that an absent field was removed. @default false */
  readonly isWhole?: boolean;
}

/**
 * The fields of an intent that have another value in the response of the server, or are absent from a complete response. The
 * function compares only labels and annotations of the metadata, and does not compare the status. Among others, these differences
 * do not count: additional values, other notations of quantities and times, absent annotations, and absent lists or elements of
 * lists. An absent `false` or 0, and any value in place of an empty text, do not count, either.
 *
 * @param intent - the intent in the form in which it was sent
 * @param live - the response, or the kept part of the object
 */
export const overridesOf = (
  intent: KubeObject,
  live: Readonly<KubeObject>,
  { owner, tree, isWhole = false }: OverrideOptions,
): readonly FieldOverride[] => {
  const {
    apiVersion: _apiVersion,
    kind,
    metadata = {},
    status: _status,
    ...fields
  } = intent as KubeObject & {
    readonly status?: unknown;
  };
  const { labels, annotations } = metadata;
  const wanted = { ...(labels && { metadata: { labels } }), ...kept(kind, fields) };
  const site = { way: [], tree, owner };
  // Absent annotations are ignored: some tools remove annotations from all objects, and this does not change the workload.
  const notes = annotations ? within({ metadata: { annotations } }, live, { ...site, isWhole: false }) : [];
  return [...notes, ...within(wanted, live, { ...site, isWhole })];
};
