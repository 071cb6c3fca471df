import type { ServerRequest, WatchRequest } from '#lib/apiserver/machinery/request.ts';

/**
 * One step of a sequence. Its strings may hold references to earlier answers, because versions and uids differ between servers:
 *
 * - `<ns>`: the namespace of the sequence;
 * - `<rv widgets/a first>`, `<rv widgets/a last>`: the version of an object as first or last seen, empty before;
 * - `<uid widgets/a first>`: its uid;
 * - `<listRv widgets last>`: the version of a list;
 * - `<continue widgets>`: the last page token of such a list, empty when there was no token.
 *
 * An object with a member `$base`, such as `widgets/a`, is that object as last seen, with the other members merged over it.
 */
export type Step = RequestStep | WatchStep;

/** A request. */
export interface RequestStep {
  /** Unique in its sequence, and the same after other steps were dropped. */
  readonly id: number;
  readonly request: ServerRequest;
}

/** A watch, opened here and read until the sequence is over. */
export interface WatchStep {
  readonly id: number;
  readonly watch: WatchRequest;
}

/** Distinguishes the two types of steps. */
export const isWatch = (step: Step): step is WatchStep => 'watch' in step;

/** A step as a line of text. */
export const describeStep = (step: Step): string => {
  if (isWatch(step)) {
    const { resource, ...rest } = step.watch;
    return `watch ${resource.plural} ${JSON.stringify(rest)}`;
  }
  const { verb, resource, name, namespace, subresource, patchType, options, body } = step.request;
  const words = [
    patchType === undefined ? verb : `${verb}(${patchType})`,
    `${resource.plural}${resource.version === 'v1' ? '' : `.${resource.version}`}${name === undefined ? '' : `/${name}`}`,
    subresource === undefined ? '' : `/${subresource}`,
    namespace === undefined ? ' in all' : namespace === '<ns>' ? '' : ` in ${namespace}`,
    options === undefined ? '' : ` ${JSON.stringify(options)}`,
    body === undefined ? '' : `\n      ${JSON.stringify(body)}`,
  ];
  return `${words[0]} ${words.slice(1).join('')}`;
};

/** Whether a request must not change anything. */
export const isDryRun = (step: Step): boolean => !isWatch(step) && step.request.options?.dryRun === true;
