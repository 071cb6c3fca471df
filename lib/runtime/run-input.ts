import { ConfigurationError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';

const isDefinition = (kind: unknown): boolean =>
  isPlainObject(kind) && typeof kind['kind'] === 'string' && typeof kind['desired'] === 'function';

const kindsFault = (kinds: unknown): string | undefined => {
  if (!Array.isArray(kinds)) return `kinds is ${JSON.stringify(kinds)}`;
  const at = kinds.findIndex((kind) => !isDefinition(kind));
  return at < 0 ? undefined : `kinds[${at}] is ${JSON.stringify(kinds[at])}`;
};

/**
 * Checks `kinds` and `effects` of `run()`, because programs without static types can pass any value.
 *
 * @throws {ConfigurationError} for another type
 */
export const checkRunInput = ({ kinds, effects }: { readonly kinds: unknown; readonly effects?: unknown }): void => {
  const fault = kindsFault(kinds);
  if (fault !== undefined)
    throw new ConfigurationError(`${fault}: set it to a list of definitions that defineKind() returned`);
  if (effects !== undefined && !isPlainObject(effects))
    throw new ConfigurationError(
      `effects is ${JSON.stringify(effects)}: set it to lists of hosts, such as { metricHosts: ["prometheus.monitoring.svc:9090"] }`,
    );
};
