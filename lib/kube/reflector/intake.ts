import { ConnectionError, InvariantError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { isOlderVersion } from '#lib/kube/interface/resource-version.ts';
import type { ReflectorOptions } from './types.ts';

/** The number of consecutive lists older than the known state, of which the last one is accepted. */
const OLDER_LISTS = 3;

/** The options of an intake. */
export interface IntakeOptions extends Pick<ReflectorOptions, 'resource' | 'sink' | 'transform' | 'onRefused'> {
  /** Called for an error of the sink. */
  readonly onBug: (error: InvariantError) => void;
}

/**
 * Transforms the objects of lists and watches, and passes them to the sink.
 *
 * Guarantees: one outdated list does not replace the known state by an older state, except after `expectOlder`. Lists are
 * consistent, so an older list comes from a faulty replica, or from storage that was restored from a backup. The third
 * consecutive older list, some seconds later, is accepted.
 */
export class Intake {
  readonly #options: IntakeOptions;
  /** The reasons that were already reported to `onRefused`. */
  readonly #told = new Set<string>();
  /** The version of the last accepted list, event or bookmark. */
  #newest = '';
  #olderLists = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Reports that an object was left out. Each reason is reported once. */
  readonly refused = (reason: string, cause?: unknown): void => {
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    this.#options.onRefused?.(this.#errorOf(reason, cause));
  };

  /** @returns the transformed object; undefined when the transformation throws */
  transformed(object: ApiObject): ApiObject | undefined {
    const { transform } = this.#options;
    if (transform === undefined) return object;
    try {
      return transform(object);
    } catch (error) {
      this.refused(`it cannot be transformed: ${String(error)}`, error);
      return undefined;
    }
  }

  /**
   * Replaces all objects by a complete list of transformed objects.
   *
   * @returns a promise if the sink needs time for the list
   * @throws ConnectionError when the list is older than the known state, and is not the third such list in a row
   */
  takeAll(items: readonly ApiObject[], resourceVersion: string): Promise<void> | undefined {
    if (isOlderVersion(resourceVersion, this.#newest)) {
      this.#olderLists += 1;
      if (this.#olderLists < OLDER_LISTS) throw this.#older(resourceVersion);
    }
    const taking = this.#options.sink.replace(items, resourceVersion);
    this.#olderLists = 0;
    this.#newest = resourceVersion;
    return taking ?? undefined;
  }

  /** Accepts the next list even if it is older than the known state, because the storage was restored. */
  expectOlder(): void {
    this.#newest = '';
  }

  /** Passes an event with a transformed object to the sink. */
  event(event: WatchEvent): void {
    this.#newest = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    try {
      this.#options.sink.event(event);
    } catch (error) {
      const what = `Cannot handle a ${event.type} event of ${this.#options.resource.plural}: ${String(error)}`;
      this.#options.onBug(new InvariantError(what, { cause: error }));
    }
  }

  #errorOf(reason: string, cause: unknown): ReconcileError {
    const start = `Cannot use an object of ${this.#options.resource.plural}: ${reason}`;
    return cause === undefined ? new ConnectionError(start) : new InvariantError(start, { cause });
  }

  #older(resourceVersion: string): ConnectionError {
    return new ConnectionError(
      `Cannot list ${this.#options.resource.plural}: the answer is of version ${resourceVersion}, older than ${this.#newest}, which ` +
        'was seen before; either a replica of the API server lags behind, or its storage was restored: asking again',
    );
  }
}
