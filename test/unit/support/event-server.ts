import { ApiError, ConnectionError } from '#lib/errors.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';

/** A stored event. */
export interface StoredEvent {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly eventTime: string;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly action: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly regarding: Readonly<Record<string, string>>;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** The events API of an API server, in the group that the virtual API server does not serve. */
export class EventServer {
  readonly stored = new Map<string, StoredEvent>();
  /** Number of requests, including refused ones. */
  requests = 0;
  /** Answers a request with an error before anything happens. */
  refuse: () => Error | undefined = () => undefined;

  /** Refuses the creation of an event. */
  refuseEvent: (event: StoredEvent) => Error | undefined = () => undefined;

  readonly api: Pick<KubeApi, 'create' | 'patch'> = {
    create: async (_resource, object) => {
      this.#arrive();
      const event = object as StoredEvent;
      const error = this.refuseEvent(event);
      if (error) throw error;
      if (this.stored.has(event.metadata.name)) throw refusal(409, 'AlreadyExists');
      this.stored.set(event.metadata.name, event);
      return object as ApiObject;
    },
    patch: async (_resource, { name }, patch) => {
      this.#arrive();
      const event = this.stored.get(name);
      if (!event) throw refusal(404, 'NotFound');
      this.stored.set(name, { ...event, ...patch });
      return patch as ApiObject;
    },
  };

  get events(): readonly StoredEvent[] {
    return [...this.stored.values()];
  }

  get notes(): readonly string[] {
    return this.events.map(({ note, series }) => (series ? `${note} x${series.count}` : note));
  }

  #arrive(): void {
    this.requests += 1;
    const error = this.refuse();
    if (error) throw error;
  }
}

/** A refusal of an API server. */
export const refusal = (httpStatus: number, reason: string, retryAfterMs?: number): ApiError =>
  new ApiError('create events', {
    httpStatus,
    reason,
    message: 'no',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

/** A missing answer. */
export const silence = (): ConnectionError => new ConnectionError('Cannot create events: no answer');
