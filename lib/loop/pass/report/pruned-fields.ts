import { STATUS_IMPAIRED } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { shownList } from '#lib/loop/pass/shown-list.ts';
import type { Logger } from '#lib/telemetry/log.ts';

const ADVICE = 'apply the install bundle, definitions first';

/** How often one resource of the kind finds out whether the definition has been updated, in milliseconds. */
const PROBE_MS = 300_000;

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The fields of `sent` that are missing in `stored`; elements of lists are compared in order. */
const missingIn = (sent: unknown, stored: unknown, path = ''): readonly string[] => {
  if (isPlainObject(sent))
    return Object.entries(sent).flatMap(([name, value]) => {
      const below = isPlainObject(stored) ? stored[name] : undefined;
      return below === undefined ? [join(path, name)] : missingIn(value, below, join(path, name));
    });
  if (!Array.isArray(sent) || !Array.isArray(stored) || sent.length !== stored.length) return [];
  return sent.flatMap((element, index) => missingIn(element, stored[index], `${path}[]`));
};

const without = (value: unknown, fields: ReadonlySet<string>, path = ''): unknown => {
  if (Array.isArray(value)) return value.map((element) => without(element, fields, `${path}[]`));
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !fields.has(join(path, name)));
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member, fields, join(path, name))]));
};

const has = (value: unknown, [head = '', ...rest]: readonly string[]): boolean => {
  if (Array.isArray(value)) return value.some((element) => has(element, [head, ...rest]));
  if (!isPlainObject(value) || !Object.hasOwn(value, head)) return false;
  return rest.length === 0 || has(value[head], rest);
};

const holds = (status: unknown, field: string): boolean => has(status, field.replaceAll('[]', '').split('.'));

/** The others wait so long for the answer to the resource that tries, in milliseconds. */
const ANSWER_MS = 1000;

/** Options of {@link PrunedFields}. */
export interface PrunedFieldsOptions {
  readonly kind: KindRef;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The status fields that the installed definition of a kind drops, for all of its resources. */
export class PrunedFields {
  readonly #options: PrunedFieldsOptions;
  /** Such as `canary.weight` or `pods[].node`. */
  readonly #fields = new Set<string>();
  /** When one resource tries again, in epoch milliseconds. */
  #probeAt = 0;

  constructor(options: PrunedFieldsOptions) {
    this.#options = options;
  }

  /**
   * How long a status that differs in dropped fields alone has to wait, in milliseconds. Only one resource of a kind finds
   * out whether the definition has been updated: the one that is given 0.
   */
  untilProbe(): number {
    const now = this.#options.now();
    const waitMs = this.#probeAt - now;
    if (waitMs <= 0) this.#probeAt = now + ANSWER_MS;
    return Math.max(0, waitMs);
  }

  /** A status as the installed definition can store it. */
  storable(status: JsonObject): JsonObject {
    return this.#fields.size === 0 ? status : (without(status, this.#fields) as JsonObject);
  }

  /** The condition of a resource that reports fields which the API server drops. */
  condition(status: JsonObject): DesiredCondition | undefined {
    const dropped = [...this.#fields].filter((field) => holds(status, field)).toSorted();
    if (dropped.length === 0) return undefined;
    const what = shownList(dropped.map((field) => `status.${field}`));
    return {
      type: STATUS_IMPAIRED,
      status: 'True',
      reason: 'DefinitionOutdated',
      message: `the CustomResourceDefinition has no ${what}: it is older than the operator; ${ADVICE}`,
    };
  }

  /**
   * Learns from the answer to a write of the status which fields the API server dropped, and which it stores again.
   *
   * @returns true when something was learned, so that the status has to be written about it
   */
  learn(sent: JsonObject, stored: unknown): boolean {
    const { kind, log, now } = this.#options;
    const missing = missingIn(sent, stored ?? {});
    const found = missing.filter((field) => !this.#fields.has(field));
    const healed = [...this.#fields].filter((field) => holds(sent, field) && !missing.includes(field));
    for (const field of found) this.#fields.add(field);
    for (const field of healed) this.#fields.delete(field);
    if (this.#fields.size > 0) this.#probeAt = now() + PROBE_MS;
    const about = { resource: kind.plural };
    if (found.length > 0) {
      const advice = `the CustomResourceDefinition is older than the operator: ${ADVICE}`;
      log.error({ ...about, fields: found, advice }, 'the API server drops fields of the status');
    }
    if (healed.length > 0)
      log.info({ ...about, fields: healed }, 'the API server stores all fields of the status again');
    return found.length > 0 || healed.length > 0;
  }
}
