import { once } from 'node:events';
import { ConfigurationError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import type { Reflector } from '#lib/kube/reflector/types.ts';
import { at } from './json.ts';

const PATIENCE_MS = 180_000;

/** The kind and the name of an object. */
export interface TypedObject<O extends KubeObject = KubeObject> {
  readonly kind: KindRef<O>;
  readonly name: string;
}

/** A change of an object. */
export interface ObjectChange {
  /** The previous state of the object; undefined when the object is new. */
  readonly before: ApiObject | undefined;
  readonly isGone: boolean;
}

/** Options for {@link LiveObjects}. */
export interface LiveObjectsOptions {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  readonly namespace: string;
  /**
   * Called for every listed object, for every event of a watch except bookmarks, and for every object that a later list does not
   * contain.
   */
  readonly onChange: (object: ApiObject, change: ObjectChange) => void;
  /** Called for the failures of lists and watches that a reflector reports. The request is then repeated. */
  readonly onError: (error: Error) => void;
  /** If this promise rejects, all waits reject with the same error. */
  readonly failed: Promise<never>;
}

/**
 * Whether a controller has observed the current spec of an object, by `observedGeneration`. Also true for an object with neither
 * `generation` nor `observedGeneration`.
 */
export const isSeen = (object: ApiObject): boolean =>
  at(object, 'status', 'observedGeneration') === at(object, 'metadata', 'generation');

/** The objects of some kinds in a namespace. Reflectors keep them up to date, as in an operator. */
export class LiveObjects implements AsyncDisposable {
  readonly #options: LiveObjectsOptions;
  readonly #reflectors: readonly Reflector[];
  readonly #objects = new Map<string, ApiObject>();
  #changed = Promise.withResolvers<void>();

  constructor(kinds: readonly KindRef[], options: LiveObjectsOptions) {
    this.#options = options;
    this.#reflectors = kinds.map((kind) => this.#follow(kind));
  }

  /**
   * Waits until the controller of an object has observed its spec, and the object meets the condition.
   *
   * @throws {ConfigurationError} after three minutes. If the promise `failed` rejects, `until` throws the same error.
   */
  async until<O extends KubeObject>({ kind, name }: TypedObject<O>, isExpected: (object: O) => boolean): Promise<O> {
    const late = once(AbortSignal.timeout(PATIENCE_MS), 'abort');
    for (;;) {
      const object = this.#objects.get(`${kind.kind}/${name}`);
      if (object !== undefined && isSeen(object) && isExpected(object as unknown as O)) return object as unknown as O;
      const isLate = await Promise.race([this.#changed.promise, this.#options.failed, late]);
      if (isLate)
        throw new ConfigurationError(`${kind.kind}/${name} is not as expected after ${PATIENCE_MS / 60_000} minutes`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  #follow(kind: KindRef): Reflector {
    const { api, namespace, onError } = this.#options;
    return startReflector({
      api,
      resource: kind,
      namespace,
      onError,
      timers: systemTimers,
      random: Math.random,
      sink: {
        replace: (items) => this.#replace(kind, items),
        event: (event) => {
          if (event.type !== 'BOOKMARK') this.#note(event.object, event.type === 'DELETED');
        },
      },
    });
  }

  #replace({ kind }: KindRef, items: readonly ApiObject[]): void {
    const listed = new Set(items.map(({ metadata: { name } }) => name));
    for (const object of this.#objects.values())
      if (object.kind === kind && !listed.has(object.metadata.name)) this.#note(object, true);
    items.forEach((object) => this.#note(object));
  }

  #note(object: ApiObject, isGone = false): void {
    const key = `${object.kind}/${object.metadata.name}`;
    const before = this.#objects.get(key);
    if (isGone) this.#objects.delete(key);
    else this.#objects.set(key, object);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.#options.onChange(object, { before, isGone });
  }
}
