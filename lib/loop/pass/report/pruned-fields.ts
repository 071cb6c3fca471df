import { STATUS_IMPAIRED } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import type { JsonObject } from '#lib/json.ts';
import { type JsonSchema, readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { rootSchema } from '#lib/kind/schema/root-schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { shownList } from '#lib/loop/pass/shown-list.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import {
  hasField,
  missingFields,
  pathId,
  type StatusPath,
  type StatusPlace,
  statusPathText,
  withoutFields,
} from './status-path.ts';

const ADVICE = 'apply the install bundle, definitions first';

/** How often one resource of the kind finds out whether the definition has been updated, in milliseconds. */
const PROBE_MS = 300_000;

/** The other resources wait for the result of the one that tries, in milliseconds. */
const ANSWER_MS = 1000;

/** Options of {@link PrunedFields}. */
export interface PrunedFieldsOptions {
  /** The kind, as the operator defines it. */
  readonly definition: KindShape;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The status fields that the installed definition of a kind drops, for all of its resources. */
export class PrunedFields {
  readonly #options: PrunedFieldsOptions;
  /** Distinguishes the keys of maps from fields. */
  readonly #schema: JsonSchema | undefined;
  readonly #fields = new Map<string, StatusPath>();
  /** When one resource tries again, in epoch milliseconds. */
  #probeAt = 0;

  constructor(options: PrunedFieldsOptions) {
    this.#options = options;
    this.#schema = readSchema(rootSchema(options.definition)).properties?.['status'];
  }

  /**
   * The delay of a status that differs only in dropped fields, in milliseconds. Only one resource of a kind tests whether the
   * definition has been updated: the one that gets 0.
   */
  untilProbe(): number {
    const now = this.#options.now();
    const waitMs = this.#probeAt - now;
    if (waitMs <= 0) this.#probeAt = now + ANSWER_MS;
    return Math.max(0, waitMs);
  }

  /** A status as the installed definition can store it. */
  storable(status: JsonObject): JsonObject {
    return this.#fields.size === 0 ? status : (withoutFields(status, this.#fields, this.#at()) as JsonObject);
  }

  /** The condition of a resource that reports fields which the API server drops. */
  condition(status: JsonObject): DesiredCondition | undefined {
    const dropped = this.#heldBy(status).map(statusPathText).toSorted();
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
   * Learns from the response to a write of the status which fields the API server drops, and which it stores again.
   *
   * @returns true when something was learned, so that the status has to be written about it
   */
  learn(sent: JsonObject, stored: unknown): boolean {
    const { definition, log, now } = this.#options;
    const missing = new Map(missingFields(sent, stored ?? {}, this.#at()).map((path) => [pathId(path), path]));
    const found = [...missing.values()].filter((path) => !this.#fields.has(pathId(path)));
    const healed = this.#heldBy(sent).filter((path) => !missing.has(pathId(path)));
    for (const path of found) this.#fields.set(pathId(path), path);
    for (const path of healed) this.#fields.delete(pathId(path));
    if (this.#fields.size > 0) this.#probeAt = now() + PROBE_MS;
    const about = { resource: definition.plural };
    if (found.length > 0) {
      const advice = `the CustomResourceDefinition is older than the operator: ${ADVICE}`;
      log.error({ ...about, fields: found.map(statusPathText), advice }, 'the API server drops fields of the status');
    }
    if (healed.length > 0)
      log.info(
        { ...about, fields: healed.map(statusPathText) },
        'the API server stores all fields of the status again',
      );
    return found.length > 0 || healed.length > 0;
  }

  #at(path: StatusPath = []): StatusPlace {
    return { schema: this.#schema, path };
  }

  /** The dropped fields that a status has. */
  #heldBy(status: JsonObject): readonly StatusPath[] {
    return [...this.#fields.values()].filter((path) => hasField(status, this.#at(path)));
  }
}
