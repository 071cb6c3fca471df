import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { ConfigMap, Deployment, Service } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ClusterView, Invariant, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import type { User, UserTarget } from '#lib/sim/world/scenario/user.ts';
import type { Case } from './case.ts';
import { site } from './site-kind.ts';

const namespace = 'default';
const sites = refOf(site);
const name = 'web';

const createSite: ScriptStep = {
  label: 'user creates site web',
  run: (user) => {
    const { apiVersion, kind } = sites;
    user.create(sites, { apiVersion, kind, metadata: { name, namespace }, spec: { text: 'hello', replicas: 2 } });
  },
};

const editSite = (spec: JsonObject): ScriptStep => ({
  label: `user edits site web: ${Object.keys(spec).join(', ')}`,
  run: (user) => void user.patch({ resource: sites, namespace, name }, { spec }),
});

const deleteSite: ScriptStep = {
  label: 'user deletes site web',
  run: (user) => void user.delete({ resource: sites, namespace, name }, { propagationPolicy: 'Background' }),
};

const exists = (user: User, { resource, name: wanted }: UserTarget): boolean => {
  const [group, version] = resource.apiVersion.includes('/')
    ? resource.apiVersion.split('/')
    : ['', resource.apiVersion];
  const listed = user.request({
    verb: 'list',
    resource: { group: group ?? '', version: version ?? '', plural: resource.plural },
    namespace,
  });
  return (listed['items'] as readonly ServerObject[]).some(({ metadata }) => metadata.name === wanted);
};

/** A user changes a child by hand, if it exists. */
const drift = (resource: UserTarget['resource'], patch: JsonObject): ScriptStep => ({
  label: `user changes the ${resource.plural} by hand: ${JSON.stringify(patch)}`,
  run: (user) => {
    if (exists(user, { resource, name })) user.patch({ resource, namespace, name }, patch);
  },
});

/** A user deletes a child, if it exists. */
const lose = (resource: UserTarget['resource']): ScriptStep => ({
  label: `user deletes the ${resource.plural}`,
  run: (user) => {
    if (exists(user, { resource, name })) user.delete({ resource, namespace, name });
  },
});

const objects = (view: ClusterView, group: string, plural: string) => view.objects({ group, plural }, namespace);

const memberIn = (value: unknown, name: string): unknown => (isPlainObject(value) ? memberOf(value, name) : undefined);

const metadataOf = ({ metadata }: ServerObject) => {
  const { labels, annotations, ownerReferences } = metadata;
  const own = ownerReferences?.map(({ kind, name: owner }) => `${kind} ${owner}`);
  // The Deployment controller counts rollouts in this annotation, and their number depends on the schedule.
  const { 'deployment.kubernetes.io/revision': _revision, ...still } = { ...annotations };
  return { labels, annotations: still, own };
};

/** The children in their expected final state. */
const childrenAtRest = (view: ClusterView): unknown => ({
  configMaps: objects(view, '', 'configmaps').map((it) => [metadataOf(it), memberIn(it['data'], 'text')]),
  services: objects(view, '', 'services').map((it) => [
    metadataOf(it),
    memberIn(it['spec'], 'ports'),
    memberIn(it['spec'], 'selector'),
  ]),
  deployments: objects(view, 'apps', 'deployments').map((it) => [metadataOf(it), it['spec']]),
  sites: objects(view, 'demo.example.com', 'sites').map(({ metadata, status }) => {
    const { conditions = [], ...own } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
    return [metadata.name, metadata.finalizers, own, conditions.map((it) => `${it.type}=${it.status}`)];
  }),
});

/** Users and the garbage collector delete in any order. */
const KEEPS_ORDER = /^operator/;

/** A request that arrives after its sender has crashed. */
const COMES_LATE = /\(crashed\)/;

/**
 * After the deletion of a site the dependencies of the servers are deleted after the servers. The operator has no lease here:
 * servers that a crashed process requested can appear after the next process has listed the children, so they do not count.
 */
const tornDownInOrder = (): Invariant => {
  let before = false;
  let hadServers = false;
  let isLate = false;
  return {
    name: 'the servers go first',
    check: (view) => {
      const had = before;
      before = objects(view, '', 'configmaps').length > 0;
      const servers = objects(view, 'apps', 'deployments').some((it) => it.metadata.deletionTimestamp === undefined);
      if (servers && !hadServers) isLate = COMES_LATE.test(view.lastStep);
      hadServers = servers;
      if (!had || before || !servers || isLate || !KEEPS_ORDER.test(view.lastStep)) return undefined;
      return `the ConfigMap went with "${view.lastStep}"`;
    },
    memory: () => [before, hadServers, isLate],
  };
};

const caseOf = (
  title: string,
  script: readonly ScriptStep[],
  invariants: () => readonly Invariant[] = () => [],
): Case => ({
  scenario: {
    name: `site-${title}`,
    kinds: [site],
    script,
    invariants,
    outcome: childrenAtRest,
  },
  chaos: { weights: { actor: 0 } },
});

const replicasByHand = drift(Deployment, { spec: { replicas: 7 } });
const dataByHand = drift(ConfigMap, { data: { text: 'other', more: 'of theirs' } });
const selectorByHand = drift(Service, { spec: { selector: { site: 'other' } } });

/** Scenarios of Sites and their children. */
export const siteCases: readonly Case[] = [
  caseOf('create', [createSite]),
  caseOf('edit', [createSite, editSite({ replicas: 3 }), editSite({ text: 'good bye' }), editSite({ replicas: 1 })]),
  caseOf('drift', [createSite, replicasByHand, dataByHand, selectorByHand]),
  caseOf('drift-and-edit', [
    createSite,
    dataByHand,
    editSite({ text: 'good bye' }),
    replicasByHand,
    editSite({ replicas: 5 }),
  ]),
  caseOf('loss', [createSite, lose(ConfigMap), lose(Deployment), lose(Service)]),
  caseOf('delete', [createSite, deleteSite], () => [tornDownInOrder()]),
  caseOf('edit-and-delete', [createSite, editSite({ text: 'good bye' }), deleteSite], () => [tornDownInOrder()]),
];
