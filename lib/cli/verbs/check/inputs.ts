import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { CheckOptions } from '#lib/foresight/check/check.ts';
import type { CliContext } from '../../shell/context.ts';

/** The inputs of a check, except for its limits, as JSON: another process can make the same check from them. */
export interface CheckInputs extends Required<Pick<CheckOptions, 'manifests' | 'files' | 'namespace'>> {
  /** The name of the kind, as the user wrote it. */
  readonly kind: string;
  /** The configuration file, as the user named it. */
  readonly config?: string | undefined;
  readonly script?: CheckOptions['script'];
  readonly without?: CheckOptions['without'];
  /** The module with invariants, as the user named it. */
  readonly invariants?: string | undefined;
}

/** The part of a context that loads files of the project. */
export type CheckPlace = Pick<CliContext, 'cwd' | 'env' | 'leaveToSystem'>;

const kindsFor = async (name: string, kinds: readonly AnyKindDefinition[]): Promise<readonly AnyKindDefinition[]> => {
  const first = kinds.find(({ kind }) => kind.toLowerCase() === name.toLowerCase());
  if (first === undefined) {
    const { ConfigurationError } = await import('#lib/errors.ts');
    const { tryNearest } = await import('#lib/kind/value/suggestion.ts');
    const names = kinds.map(({ kind }) => kind);
    const nearest = tryNearest(name, names);
    const hint = nearest === undefined ? `; the kinds are ${names.join(', ')}` : `; did you mean ${nearest}?`;
    throw new ConfigurationError(`Unknown kind ${name}${hint}`);
  }
  const chosen = new Set([first]);
  for (const { owns } of chosen) {
    for (const { kind, apiVersion } of owns) {
      const owned = kinds.find((each) => each.kind === kind && `${each.group}/${each.version}` === apiVersion);
      if (owned !== undefined) chosen.add(owned);
    }
  }
  return [...chosen];
};

const invariantsOf = async (
  path: string | undefined,
  { cwd }: CheckPlace,
): Promise<Pick<CheckOptions, 'invariants'>> => {
  if (path === undefined) return {};
  const { ConfigurationError } = await import('#lib/errors.ts');
  let module: { readonly invariants?: unknown };
  try {
    module = (await import(/* @vite-ignore */ pathToFileURL(resolve(cwd, path)).href)) as typeof module;
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw new ConfigurationError(`Cannot load ${path}: ${why}`, { cause });
  }
  if (typeof module.invariants === 'function')
    return { invariants: module.invariants as NonNullable<CheckOptions['invariants']> };
  throw new ConfigurationError(
    `${path} exports no function "invariants"; write export const invariants = () => [{ name, check: (view) => … }]`,
  );
};

/**
 * Loads the kinds and the invariants of a check.
 *
 * @throws {ConfigurationError} when a file cannot be loaded, or no kind has the name
 */
export const checkOptionsOf = async (place: CheckPlace, inputs: CheckInputs): Promise<CheckOptions> => {
  const { kind, config, script, without, invariants, ...given } = inputs;
  const { kinds } = await (await import('../../project/config.ts')).loadKinds(place, { config });
  return {
    ...given,
    kinds: await kindsFor(kind, kinds),
    ...(script && { script }),
    ...(without && { without }),
    ...(await invariantsOf(invariants, place)),
  };
};
