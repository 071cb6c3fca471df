import { STATUS_IMPAIRED } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import type { JsonObject } from '#lib/json.ts';
import { storedStatusSchema } from '#lib/kind/schema/root-schema.ts';
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

/** The interval in which one resource of the kind tests whether the CRD has been updated, in milliseconds. */
const PROBE_MS = 300_000;

/** How long the other resources of the kind wait for the result of a test whether the CRD has been updated, in milliseconds. */
const ANSWER_MS = 1000;

/** Options of {@link PrunedFields}. */
export interface PrunedFieldsOptions {
  readonly definition: KindShape;
  readonly log: Logger;
  /** Returns the current time, in epoch milliseconds. */
  readonly now: () => number;
}

/** The status fields that the API server drops because the CRD in the cluster lacks them; shared by all resources of a kind. */
export class PrunedFields {
  readonly #options: PrunedFieldsOptions;
  readonly #fields = new Map<string, StatusPath>();
  /** The time of the next test by one resource, in epoch milliseconds. */
  #probeAt = 0;

  constructor(options: PrunedFieldsOptions) {
    this.#options = options;
  }

  /**
   * The delay of a status that differs from the stored one only in dropped fields, in milliseconds. The caller with the result 0
   * writes the status, as a test whether the CRD in the cluster has been updated. All other results within the next second are
   * more than 0.
   */
  untilProbe(): number {
    const now = this.#options.now();
    const waitMs = this.#probeAt - now;
    if (waitMs <= 0) this.#probeAt = now + ANSWER_MS;
    return Math.max(0, waitMs);
  }

  /** Removes the dropped fields from a status, so that the result equals what the API server stores. */
  storable(status: JsonObject): JsonObject {
    return this.#fields.size === 0 ? status : (withoutFields(status, this.#fields, this.#at()) as JsonObject);
  }

  /** The condition of a resource with status fields that the API server drops; undefined without such fields. */
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
   * Updates the set of dropped fields from the response to a write of the status.
   *
   * @returns true when the set of dropped fields changed, so that the status must report the change
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

  /** The schema of the status shows whether a member is a field or a key of a map. It is read when a status is first written. */
  #at(path: StatusPath = []): StatusPlace {
    return { schema: storedStatusSchema(this.#options.definition), path };
  }

  /** The dropped fields that this status contains. */
  #heldBy(status: JsonObject): readonly StatusPath[] {
    return [...this.#fields.values()].filter((path) => hasField(status, this.#at(path)));
  }
}
