import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { PlanInput } from '#lib/plan/input.ts';

/** The annotation with which a user consents to deletions that need consent. */
export const ALLOW_PRUNE = 'cdk8s-reconcile/allow-prune';

type Consenting = Pick<PlanInput, 'definition' | 'resource'>;

const consents = ({ resource }: Pick<PlanInput, 'resource'>): readonly string[] =>
  (resource.metadata.annotations[ALLOW_PRUNE] ?? '').split(',').map((part) => part.trim());

/** True if the annotation of the parent names this child, so that the child may be deleted although it holds data. */
export const consentsTo = (
  input: Pick<PlanInput, 'resource'>,
  { kind, name }: { readonly kind: KindRef; readonly name: string },
): boolean => consents(input).includes(`${kind.kind}/${name}`);

/** The consent of a user to the deletion, or the release, of many children. */
export interface ManyConsent {
  readonly isGiven: boolean;
  /** The annotation of the parent that gives the consent, as an argument of `kubectl annotate`. */
  readonly annotation: string;
}

/**
 * Returns the consent to the deletion, or the release, of many children of one parent. For a resource, the consent names the
 * generation of the spec. A parent may have no generation, and may be the parent of several extensions. The consent for an
 * extension therefore names the extension and the highest number of children.
 *
 * @param count - the number of children to delete or release
 */
export const consentFor = (input: Consenting, count: number): ManyConsent => {
  const { definition, resource } = input;
  const parts = consents(input);
  if (definition.extension === undefined) {
    const part = `generation=${resource.metadata.generation}`;
    return { isGiven: parts.includes(part), annotation: `${ALLOW_PRUNE}=${part}` };
  }
  const prefix = `${definition.kind}.${definition.group}=`;
  const allowed = parts.filter((part) => part.startsWith(prefix)).map((part) => Number(part.slice(prefix.length)));
  return { isGiven: allowed.some((most) => most >= count), annotation: `${ALLOW_PRUNE}=${prefix}${count}` };
};
