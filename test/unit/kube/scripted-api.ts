import type { ApiObject, ApiPage, KubeApi, ListOptions, WatchEvent, WatchOptions } from '#lib/kube/interface/api.ts';

/** A watch that a reflector has open. */
export interface OpenWatch {
  readonly options: WatchOptions;
  emit(event: WatchEvent): void;
  end(): void;
  fail(error: unknown): void;
}

export interface ScriptedApi extends Pick<KubeApi, 'list' | 'watch'> {
  /** Every request so far, such as `list`, `list c1`, `watch 10`, `watch-list`. */
  readonly requests: string[];
  /** Answers to lists, in order. After the last answer, lists wait until they are aborted. */
  readonly lists: (ApiPage | Error)[];
  readonly listOptions: ListOptions[];
  /** Every watch so far; a test sends its events. */
  readonly watches: OpenWatch[];
}

export const pod = (name: string, resourceVersion: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion },
});

/** An API server that a test controls, request by request. */
export const scriptedApi = (...lists: (ApiPage | Error)[]): ScriptedApi => {
  const api: ScriptedApi = {
    requests: [],
    lists,
    listOptions: [],
    watches: [],
    list: async (_resource, options = {}) => {
      api.requests.push(options.continueToken === undefined ? 'list' : `list ${options.continueToken}`);
      api.listOptions.push(options);
      const answer = api.lists.shift();
      if (answer instanceof Error) throw answer;
      if (answer !== undefined) return answer;
      const { promise, reject } = Promise.withResolvers<ApiPage>();
      options.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      return promise;
    },
    watch: async (_resource, options, onEvent) => {
      api.requests.push(options.resourceVersion === undefined ? 'watch-list' : `watch ${options.resourceVersion}`);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      options.signal.addEventListener('abort', () => resolve());
      api.watches.push({ options, emit: onEvent, end: resolve, fail: reject });
      return promise;
    },
  };
  return api;
};
