import { listAll } from '../../objects/family.ts';
import { resourcesFor } from '../../objects/find.ts';
import { type KnownResource, namedObject } from '../../objects/resources.ts';
import type { CliContext, Cluster, ClusterChoice } from '../../shell/context.ts';
import type { Candidate, CompletionPosition } from './candidates.ts';

const MOST_NAMES = 500;

const PATIENCE_MS = 2000;

const NAMESPACES = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' } as const;

const contextNames = async (context: CliContext, choice: ClusterChoice): Promise<readonly Candidate[]> => {
  const { contextsOf } = await import('../../shell/cluster.ts');
  return (await contextsOf(choice, context.env)).map((word) => ({ word, about: 'context' }));
};

const inTime = async <Result>(work: Promise<Result>): Promise<Result | undefined> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};

const asked = async <Result>(
  context: CliContext,
  choice: ClusterChoice,
  ask: (cluster: Cluster) => Promise<Result>,
): Promise<Result | undefined> => {
  const cluster = await context.connect(choice);
  try {
    return await inTime(ask(cluster));
  } finally {
    await cluster.close();
  }
};

const namespaceNames = async (context: CliContext, choice: ClusterChoice): Promise<readonly Candidate[]> => {
  const page = await asked(context, choice, async ({ api }) => api.list(NAMESPACES, { limit: MOST_NAMES }));
  return (page?.items ?? []).map(({ metadata }) => ({ word: metadata.name, about: 'namespace' }));
};

const kindWords = (known: readonly KnownResource[]): readonly Candidate[] =>
  known.flatMap(({ kind, words: [word] }) => (word === undefined ? [] : [{ word: `${word}/`, about: kind }]));

const objectNames = async (
  context: CliContext,
  known: readonly KnownResource[],
  { typed, choice }: { readonly typed: string; readonly choice: ClusterChoice },
): Promise<readonly Candidate[]> => {
  const kind = typed.slice(0, typed.indexOf('/'));
  const items = await asked(context, choice, async (cluster) => {
    const { resource, target } = namedObject(`${kind}/x`, { known, namespace: cluster.namespace });
    const { namespace } = target;
    return (await listAll(cluster.api, resource, { namespace })).items.slice(0, MOST_NAMES);
  });
  return (items ?? []).map((object) => ({ word: `${kind}/${object.metadata.name}`, about: object.kind }));
};

const valuesAt = async (context: CliContext, place: CompletionPosition): Promise<readonly Candidate[]> => {
  const { takes, typed, options } = place;
  if (takes === 'context') return contextNames(context, options);
  if (takes === 'namespace') return namespaceNames(context, options);
  const known = await resourcesFor(context, options);
  if (takes === 'kind')
    return known.flatMap(({ kind, definition }) => (definition ? [{ word: kind, about: 'kind' }] : []));
  return typed.includes('/') ? objectNames(context, known, { typed, choice: options }) : kindWords(known);
};

/**
 * Lists values from the project and the cluster: kinds, names of objects, contexts and namespaces.
 *
 * Guarantees: prints no errors, because a shell would print them in the middle of a line. After an error, there are no
 * candidates.
 *
 * @param context - the process
 * @param place - the position, and the options before it
 */
export const completionValues = async (
  context: CliContext,
  place: CompletionPosition,
): Promise<readonly Candidate[]> => {
  const values = await valuesAt(context, place).catch(() => []);
  return values.filter(({ word }) => word.toLowerCase().startsWith(place.typed.toLowerCase()));
};
