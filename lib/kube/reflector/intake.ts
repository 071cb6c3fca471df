import { ConnectionError, InvariantError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { isOlderVersion } from '#lib/kube/interface/resource-version.ts';
import type { ReflectorOptions } from './types.ts';

/** The number of consecutive lists that must be older than the known state before one is accepted. */
const OLDER_LISTS = 3;

/** The options of an intake. */
export interface IntakeOptions extends Pick<ReflectorOptions, 'resource' | 'sink' | 'transform' | 'onRefused'> {
  /** Called for an error of the sink. */
  readonly onBug: (error: InvariantError) => void;
}

/**
 * Transforms the objects of lists and watches, and passes them to the sink.
 *
 * Guarantees: the known state never goes back in time because of one outdated response. A list is as consistent as the API
 * server is, so an older one comes from a replica that lags behind, against the rules, or from a storage that was restored from
 * a backup: it is accepted when the third consecutive one is older, too, some seconds later.
 */
export class Intake {
  readonly #options: IntakeOptions;
  /** Reasons for which something was left out. */
  readonly #told = new Set<string>();
  /** The newest version that was seen. */
  #newest = '';
  #olderLists = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Reports, once for each reason, that something was left out. */
  readonly refused = (reason: string, cause?: unknown): void => {
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    this.#options.onRefused?.(this.#errorOf(reason, cause));
  };

  /** @returns the object as it is to be kept; undefined when it cannot be */
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
   * Replaces all objects by a complete list, transformed.
   *
   * @returns a promise when that takes its time
   * @throws ConnectionError when it is older than the known state, and may be an error of the server
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

  /** The next list may be older than the known state, because the storage was restored. */
  expectOlder(): void {
    this.#newest = '';
  }

  /** Takes an event, its object transformed. */
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
