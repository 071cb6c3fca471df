import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/desired.ts';
import { UnsupportedError } from '#lib/errors.ts';
import { resourceName } from '#lib/kind/reference.ts';

/**
 * Refuses definitions that use parts of the contract which this version of the loop does not honour.
 *
 * @throws {UnsupportedError} naming the kind and the part
 */
export const assertSupported = (definition: AnyKindDefinition): void => {
  const refuse = (what: string): never => {
    throw new UnsupportedError(
      `Cannot run kind "${definition.kind}": ${what} is not supported by this version of the loop`,
    );
  };
  if (definition.scope === 'Cluster') refuse('scope "Cluster"');
  const names = definition.owns.map(resourceName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) refuse(`owning ${twice} twice (join the fields with reading())`);
  if (definition.owns.some((kind) => kind.scope === 'Cluster')) refuse('owning cluster-scoped kinds');
};

/**
 * Refuses a result that asks for what this version of the loop does not do; nothing of it is carried out.
 *
 * @throws {UnsupportedError} naming the part
 */
export const assertSupportedResult = ({ effects = [], events = [] }: Desired<unknown>): void => {
  const unsupported = [...(effects.length > 0 ? ['effects'] : []), ...(events.length > 0 ? ['events'] : [])];
  const [what] = unsupported;
  if (what !== undefined)
    throw new UnsupportedError(`desired() asked for ${what}, which this version of the loop does not support`);
};
