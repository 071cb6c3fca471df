import { ApiError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';

/**
 * The knowledge of a process about watch-lists: watches that begin with all objects (`sendInitialEvents`). On by default on
 * Kubernetes 1.32 and from 1.34 on. All reflectors of a process share it: after the first refusal none asks again.
 */
export class WatchLists {
  #isRefused: boolean;

  /** @param options - `isOff` never asks for any */
  constructor({ isOff = false }: { readonly isOff?: boolean } = {}) {
    this.#isRefused = isOff;
  }

  /** Whether it is worth asking. */
  get isWorthAsking(): boolean {
    return !this.#isRefused;
  }

  /** Takes an error of a watch that was to begin with everything. @returns whether it means that the server has no watch-lists */
  refusedWith(error: unknown): boolean {
    // 422 where the feature gate is off, 400 where such a parameter cannot be parsed.
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
   * Takes the next event.
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
