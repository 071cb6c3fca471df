import type { SentRequest } from './cluster/cluster.ts';

/** Without its group. */
const shortName = (resource: string): string => resource.replace(/\.[^/]*/, '');

const mostFirst = <Item>(
  counts: ReadonlyMap<string, readonly Item[]>,
): readonly (readonly [string, readonly Item[]])[] =>
  [...counts].toSorted(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1));

const counted = ([name, requests]: readonly [string, readonly unknown[]]): string =>
  requests.length === 1 ? name : `${requests.length} ${name}`;

/** A line for each verb, the most frequent first: `10 × patch: 8 podsets/status, events`. */
export const requestLines = (sent: readonly Pick<SentRequest, 'verb' | 'resource'>[]): readonly string[] =>
  mostFirst(Map.groupBy(sent, ({ verb }) => verb)).map(([verb, requests]) => {
    const resources = mostFirst(Map.groupBy(requests, ({ resource }) => shortName(resource)));
    return `${requests.length} × ${verb}: ${resources.map(counted).join(', ')}`;
  });
