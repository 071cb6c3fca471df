import { ApiError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';

/**
 * Whether the server supports watch-lists: watches that begin with all objects (`sendInitialEvents`). Watch-lists are on by
 * default in Kubernetes 1.32, and from 1.34 on. Reflectors that share this object request no watch-list after the first refusal.
 */
export class WatchLists {
  #isRefused: boolean;

  /** @param options - `isOff`: whether watch-lists are never requested */
  constructor({ isOff = false }: { readonly isOff?: boolean } = {}) {
    this.#isRefused = isOff;
  }

  /** Whether a watch-list should be requested. */
  get isWorthAsking(): boolean {
    return !this.#isRefused;
  }

  /** Records the error of a watch-list. @returns whether the error means that the server does not support watch-lists */
  refusedWith(error: unknown): boolean {
    // 422 when the feature gate is off, 400 when the server cannot parse the parameter.
    const isRefusal = error instanceof ApiError && (error.httpStatus === 400 || error.httpStatus === 422);
    this.#isRefused ||= isRefusal;
    return isRefusal;
  }
}

const idOf = ({ metadata: { namespace, name } }: ApiObject): string => `${namespace ?? ''}/${name}`;

/** The beginning of a watch-list: collects the objects until the server marks them as complete. */
export class InitialEvents {
  readonly #objects = new Map<string, ApiObject>();

  /**
   * Adds the next event.
   *
   * @returns the complete list and its resource version, if this event ends the initial list; otherwise undefined
   */
  take(event: WatchEvent): { readonly items: readonly ApiObject[]; readonly resourceVersion: string } | undefined {
    if (event.type === 'BOOKMARK') {
      if (event.endsInitialEvents !== true) return undefined;
      return { items: [...this.#objects.values()], resourceVersion: event.resourceVersion };
    }
    if (event.type === 'DELETED') this.#objects.delete(idOf(event.object));
    else this.#objects.set(idOf(event.object), event.object);
    return undefined;
  }
}
