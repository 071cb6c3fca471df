import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Observation } from '#lib/desired/observation.ts';
import type { OperatorSettings } from './operator-settings.ts';

type Seen = Observation<AnyResource>;

const configured = (definition: AnyKindDefinition, settings: OperatorSettings): AnyKindDefinition => {
  const { operatorSettings = [], desired, finalize } = definition;
  const known = operatorSettings.filter((name) => settings[name] !== undefined);
  if (known.length === 0) return definition;
  const theirs = Object.freeze(Object.fromEntries(known.map((name) => [name, settings[name]])));
  const withSettings = (seen: Seen): Seen => Object.freeze({ ...seen, settings: theirs });
  return {
    ...definition,
    desired: (seen) => desired(withSettings(seen)),
    ...(finalize && { finalize: (seen) => finalize(withSettings(seen)) }),
  };
};

/**
 * Returns the kinds with other functions `desired` and `finalize`, which get the settings in `seen.settings`: those that the kind
 * lists in `operatorSettings`.
 *
 * Guarantees: idempotent; a kind without a listed setting that is present is returned unchanged.
 */
export const configuredKinds = (
  kinds: readonly AnyKindDefinition[],
  settings: OperatorSettings,
): readonly AnyKindDefinition[] => kinds.map((definition) => configured(definition, settings));
