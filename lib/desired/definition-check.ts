import { ConfigurationError } from '#lib/errors.ts';
import { type KindRef, resourceName } from '#lib/kind/reference.ts';
import type { AnyKindDefinition } from './definition.ts';

const repeated = (kinds: readonly KindRef[]): string | undefined => {
  const names = kinds.map(resourceName);
  return names.find((name, index) => names.indexOf(name) !== index);
};

/**
 * Refuses definitions whose kinds do not go together: a namespaced kind that owns cluster-scoped ones, whose objects the
 * garbage collector would delete for want of an owner that it can find, and which a tenant must not reach; and a kind that
 * is named twice.
 *
 * @throws {ConfigurationError} naming the kind and the way out
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
 */
export const assertConsistent = ({ kind, scope, owns, reads = [] }: AnyKindDefinition): void => {
  const refuse = (what: string): never => {
    throw new ConfigurationError(`Cannot run kind "${kind}": ${what}`);
  };
  const tooHigh = scope === 'Cluster' ? undefined : owns.find((owned) => owned.scope === 'Cluster');
  if (tooHigh)
    refuse(
      `it is namespaced and owns ${resourceName(tooHigh)}, which are cluster-scoped; ` +
        'set scope: "Cluster" in the definition, or list the kind in reads',
    );
  for (const [member, kinds] of Object.entries({ owns, reads })) {
    const twice = repeated(kinds);
    if (twice !== undefined) refuse(`${member} names ${twice} twice; name it once, and join the fields with reading()`);
  }
};
