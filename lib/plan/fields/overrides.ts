import { isPlainObject } from '#lib/json.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { amountOf } from './amount.ts';
import { isElement } from './covers.ts';
import type { FieldWay } from './lost-fields.ts';
import type { FieldOverride, FieldTree } from './pin.ts';

type Scalar = FieldOverride['wanted'];

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The server writes quantities and times in a form of its own, and fills in what is empty. */
const isSame = (wanted: Scalar, found: Scalar): boolean =>
  wanted === found ||
  wanted === '' ||
  amountOf(wanted) === amountOf(found) ||
  (/^\d{4}-\d\d-\d\dT/.test(String(wanted)) && Date.parse(String(wanted)) === Date.parse(String(found)));

interface Site {
  readonly way: FieldWay;
  readonly tree: FieldTree | undefined;
  readonly owner: string;
}

const inList = (
  wanted: readonly unknown[],
  found: readonly unknown[],
  { way, tree = {}, owner }: Site,
): readonly FieldOverride[] =>
  wanted.flatMap((element, index) => {
    const step = Object.keys(tree).find((candidate) => isElement(element, candidate, owner));
    if (step !== undefined) {
      const same = found.find((candidate) => isElement(candidate, step, owner));
      return within(element, same, { way: [...way, step], tree: tree[step], owner });
    }
    // Without keys only the place identifies an element, and it does so while none was added or taken away.
    if (wanted.length !== found.length) return [];
    return within(element, found[index], { way: [...way, `i:${index}`], tree: tree[`i:${index}`], owner });
  });

const within = (wanted: unknown, found: unknown, site: Site): readonly FieldOverride[] => {
  const { way, tree, owner } = site;
  if (isScalar(wanted)) return isScalar(found) && !isSame(wanted, found) ? [{ way, wanted, found }] : [];
  if (Array.isArray(wanted)) return Array.isArray(found) ? inList(wanted, found, site) : [];
  if (!isPlainObject(wanted) || !isPlainObject(found)) return [];
  return Object.entries(wanted).flatMap(([name, member]) =>
    within(member, found[name], { way: [...way, `f:${name}`], tree: tree?.[`f:${name}`], owner }),
  );
};

/**
 * The fields of an intent that hold another value in the server's answer. Only values count: what was added beside ours is no
 * conflict, and what is missing in the answer may only be left out of it. Neither do quantities and times that are written in
 * another form count.
 *
 * @param intent - as it was sent
 * @param live - the answer, or what is kept of the object
 * @param options - `owner`: the uid of the parent; `tree`: what we own of it, which names the elements of lists
 */
export const overridesOf = (
  intent: KubeObject,
  live: Readonly<KubeObject>,
  { owner, tree }: { readonly owner: string; readonly tree: FieldTree | undefined },
): readonly FieldOverride[] => {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata = {},
    status: _status,
    ...fields
  } = intent as KubeObject & {
    readonly status?: unknown;
  };
  const { labels, annotations } = metadata;
  const wanted = { metadata: { ...(labels && { labels }), ...(annotations && { annotations }) }, ...fields };
  return within(wanted, live, { way: [], tree, owner });
};
