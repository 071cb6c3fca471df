import { UndeclaredReadError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';

/** True if two handles name the same kind, even if they declare other fields. */
export const isSameKind = (
  a: Pick<KubeObject, 'apiVersion' | 'kind'>,
  b: Pick<KubeObject, 'apiVersion' | 'kind'>,
): boolean => a.kind === b.kind && a.apiVersion === b.apiVersion;

/** A call that needs a declared kind, and the member of the definition that must declare the kind. */
export interface DeclaringKind {
  /** The call, such as `related.get(Secret)`. */
  readonly asked: string;
  readonly member: 'owns' | 'reads';
}

const isElsewhere = (kind: KindRef): boolean => kind.elsewhere !== undefined;

const nameOf = (kind: KindRef): string => {
  const name = `${kind.apiVersion} ${kind.kind}`;
  return isElsewhere(kind) ? `elsewhere(${name})` : name;
};

/**
 * Returns the handle in `owns` or `reads` of a definition for a kind. The returned handle may declare other fields than `wanted`.
 * In `reads`, a handle with and a handle without `elsewhere()` stand for different objects, so a function names the right one.
 *
 * @throws {UndeclaredReadError} when the definition does not declare the kind
 */
export const declaredKind = (kinds: readonly KindRef[], wanted: KindRef, { asked, member }: DeclaringKind): KindRef => {
  const declared = kinds.find(
    (kind) => isSameKind(kind, wanted) && (member === 'owns' || isElsewhere(kind) === isElsewhere(wanted)),
  );
  if (declared) return declared;
  const names = kinds.map(nameOf).join(', ');
  const issue = {
    path: member,
    message: `must name every requested kind (it names ${names || 'none'})`,
    value: nameOf(wanted),
    rule: 'declared-kind',
    fix: `add ${isElsewhere(wanted) ? `elsewhere(${wanted.kind}, …)` : wanted.kind} to ${member} of the definition`,
  };
  throw new UndeclaredReadError(asked, [issue]);
};
