import { setTimeout as sleep } from 'node:timers/promises';
import type { Hook } from './hooks.ts';
import { ask, onSite, type Site, writesSince } from './site.ts';

interface Crowd {
  readonly count: number;
  readonly replicas: number;
  readonly finalizers?: readonly string[];
}

/** Creates many PodSets. */
export const makeCrowd = async (plane: Site['plane'], namespace: string, crowd: Crowd): Promise<void> => {
  const { count, replicas, finalizers = [] } = crowd;
  for (let index = 0; index < count; index += 1)
    await ask(plane, 'POST', `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`, {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      metadata: { name: `set-${index}`, finalizers },
      spec: { replicas, template: { spec: { containers: [{ name: 'main', image: 'nginx:1' }] } } },
    });
};

/** The times of refused creates of pods since an instant, in milliseconds. */
const refusedAt = async (plane: Site['plane'], since: Date, namespace: string): Promise<readonly number[]> =>
  (await writesSince(plane, since, namespace))
    .filter(({ verb, resource, code }) => resource === 'pods' && verb !== 'delete' && code >= 400)
    .map(({ requestReceivedTimestamp: at }) => Date.parse(at) - since.getTime());

const ENDING: Crowd = { count: 100, replicas: 3, finalizers: ['company.example.com/held'] };
const ENDING_MS = 20_000;

/** A namespace that is being deleted with resources in it: creates are refused. */
export const ending = async (): Promise<string> =>
  onSite(async ({ plane, log }) => {
    const namespace = await plane.createNamespace('ending');
    await makeCrowd(plane, namespace, ENDING);
    const [since, lines] = [new Date(), log().length];
    await ask(plane, 'DELETE', `/api/v1/namespaces/${namespace}`);
    await sleep(ENDING_MS);
    const refused = await refusedAt(plane, since, namespace);
    const spanMs = refused.length === 0 ? 0 : Math.max(...refused) - Math.min(...refused);
    const figures = `${refused.length} refused creates for ${ENDING.count} resources of ${ENDING.replicas} pods within ${spanMs} ms, ${log().length - lines} lines in the log`;
    if (refused.length > ENDING.count) throw new Error(figures);
    return figures;
  });

/** Goal P12: the worst second of the whole operator after the first burst, and of one resource in its first 15 s. */
const P12 = { worstSecond: 10, alone: { quota: 8, policy: 2 } } as const;
const CROWD: Crowd = { count: 300, replicas: 5 };
const FIRST_MS = 15_000;
const WATCHED_MS = 30_000;

const denied: Hook = {
  admit: () => {
    throw new Error('no pods here');
  },
};

type Refuser = keyof typeof P12.alone;

const namespaceOf = async ({ plane, hooks }: Site, refuser: Refuser): Promise<string> => {
  if (refuser === 'policy') return hooks.namespace('denied');
  const namespace = await plane.createNamespace('quota');
  const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } };
  await ask(plane, 'POST', `/api/v1/namespaces/${namespace}/resourcequotas`, quota);
  return namespace;
};

/** Number of refusals of a single resource in its first 15 s. */
const refusedAlone = async (site: Site, refuser: Refuser): Promise<number> => {
  const namespace = await namespaceOf(site, refuser);
  const began = new Date();
  await makeCrowd(site.plane, namespace, { ...CROWD, count: 1 });
  await sleep(FIRST_MS);
  return (await refusedAt(site.plane, began, namespace)).length;
};

const refusedBy = async (site: Site, refuser: Refuser): Promise<string> => {
  const { plane } = site;
  const alone = await refusedAlone(site, refuser);
  const namespace = await namespaceOf(site, refuser);
  await makeCrowd(plane, namespace, CROWD);
  await sleep(FIRST_MS);
  const since = new Date();
  await sleep(WATCHED_MS);
  const refused = await refusedAt(plane, since, namespace);
  const seconds = Map.groupBy(refused, (at) => Math.floor(at / 1000));
  const worst = Math.max(0, ...[...seconds.values()].map(({ length }) => length));
  const figures = `${refuser}: ${alone} of one resource in its first 15 s; of ${CROWD.count} resources ${refused.length} in ${WATCHED_MS / 1000} s, ${worst} in the worst second`;
  if (alone > P12.alone[refuser] || worst > P12.worstSecond) throw new Error(figures);
  return figures;
};

/** Hundreds of resources whose pods are refused. */
export const refusedCrowds = async (): Promise<string> =>
  onSite(async (site) => {
    await site.hooks.install({ denied });
    return [await refusedBy(site, 'quota'), await refusedBy(site, 'policy')].join('; ');
  });
