/**
 * Watches that begin with all existing objects (`sendInitialEvents`, KEP-3157): a list in the form of events, ended by
 * a bookmark with an annotation.
 */

interface WatchLine {
  readonly type: string;
  readonly object: {
    readonly metadata?: { readonly resourceVersion?: string; readonly annotations?: Readonly<Record<string, string>> };
  };
}

/** Whether a watch asks for initial events. */
export const asksForInitialEvents = (target: string): boolean =>
  new URL(target, 'https://proxy').searchParams.get('sendInitialEvents') === 'true';

/** The key that two watches share when they ask for the same initial events. */
export const questionOf = (target: string): string => {
  const url = new URL(target, 'https://proxy');
  for (const field of ['timeoutSeconds', 'resourceVersion']) url.searchParams.delete(field);
  return `${url.pathname}${url.search}`;
};

/**
 * Collects initial events as they pass. @returns all of them at the event that ends them, undefined at any other event
 */
export const initialEventsCollector = (): ((line: string) => string | undefined) => {
  const lines: string[] = [];
  let isComplete = false;
  return (line) => {
    if (isComplete) return undefined;
    lines.push(line);
    const { metadata } = (JSON.parse(line) as WatchLine).object;
    isComplete = metadata?.annotations?.['k8s.io/initial-events-end'] === 'true';
    return isComplete ? `${lines.join('\n')}\n` : undefined;
  };
};

/** The watch that continues after the collected initial events. */
export const resumedAfter = (target: string, events: string): string => {
  const url = new URL(target, 'https://proxy');
  const last = JSON.parse(events.trimEnd().split('\n').at(-1) ?? '{}') as WatchLine;
  for (const field of ['sendInitialEvents', 'resourceVersionMatch']) url.searchParams.delete(field);
  url.searchParams.set('resourceVersion', last.object.metadata?.resourceVersion ?? '');
  return `${url.pathname}${url.search}`;
};
