import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { extendKind } from '#lib/desired/extension/extend-kind.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, Service } from '#lib/kind/handles/reference.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { ClusterView, Invariant, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { type Case, casesOf } from './case.ts';

const GROUP = 'platform.acme.io';
const namespace = 'default';

const service = (name: string, port: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port }] },
});

const extensionNamed = (name: string, suffixes: readonly string[]) =>
  extendKind({
    of: ConfigMap,
    fields: ['data'],
    name,
    group: GROUP,
    where: { labels: { on: 'yes' } },
    owns: [Service],
    annotation: true,
    desired: ({ resource: { metadata, data } }) => ({
      children: suffixes.map((suffix) => apply(service(`${metadata.name}-${suffix}`, Number(data?.['port'] ?? 80)))),
      state: ready('Done', 'it has its Services'),
    }),
  });

const accounts = extensionNamed('accounts', ['one', 'two']);
const others = extensionNamed('others', ['three']);

const create = (name: string, on = 'yes'): ScriptStep => ({
  label: `user creates parent ${name}`,
  run: (user) => {
    const metadata = { name, namespace, labels: { on } };
    user.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { port: '80' } });
  },
});

const edit = (name: string, patch: object): ScriptStep => ({
  label: `user edits parent ${name}: ${JSON.stringify(patch)}`,
  run: (user) => void user.patch({ resource: ConfigMap, namespace, name }, { ...patch }),
});

const select = (name: string, on: string): ScriptStep => edit(name, { metadata: { labels: { on } } });

const remove = (name: string): ScriptStep => ({
  label: `user deletes parent ${name}`,
  run: (user) => void user.delete({ resource: ConfigMap, namespace, name }),
});

/** A Service of another owner that the extension never makes; it has the label of the extension with a made-up uid. */
const foreign: ScriptStep = {
  label: 'user creates a Service with a forged label',
  run: (user) => {
    const metadata = { name: 'forged', namespace, labels: { [`${GROUP}/accounts`]: 'no-uid' } };
    user.create(Service, { ...service('forged', 80), metadata });
  },
};

const all = (view: ClusterView, plural: string): readonly ServerObject[] =>
  view.objects({ group: '', plural }, namespace);

/** A user removes the label of a child, if the child exists. */
const unlabel = (name: string): ScriptStep => ({
  label: `user removes the label of ${name}`,
  run: (user) => {
    const list = { verb: 'list', resource: { group: '', version: 'v1', plural: 'services' }, namespace } as const;
    const services = user.request(list)['items'] as readonly ServerObject[];
    if (!services.some(({ metadata }) => metadata.name === name)) return;
    user.patch({ resource: Service, namespace, name }, { metadata: { labels: { [`${GROUP}/accounts`]: null } } });
  },
});

/** The final state: the children with the names of their parents, and the reports in the parents. */
const atRest = (view: ClusterView): unknown => {
  const parents = all(view, 'configmaps').filter(({ metadata }) => metadata.labels?.['on'] !== undefined);
  const names = new Map(parents.map(({ metadata }) => [metadata.uid, metadata.name]));
  const nameOf = (uid: string): string => names.get(uid) ?? 'none';
  return {
    parents: parents.map(({ metadata: { name, annotations } }) => [name, annotations ?? {}]),
    children: all(view, 'services').map(({ metadata, spec }) => ({
      name: metadata.name,
      labels: Object.entries(metadata.labels ?? {}).map(([label, uid]) => [label, nameOf(uid)]),
      owners: (metadata.ownerReferences ?? []).map(({ uid }) => nameOf(uid)),
      ports: (spec as { readonly ports: readonly { readonly port: number }[] }).ports.map(({ port }) => port),
    })),
  };
};

/** An extension never changes or deletes an object without an owner reference to one of its parents. */
const foreignStays = (): Invariant => {
  let before: ServerObject | undefined;
  return {
    name: 'objects of other owners are left alone',
    check: (view) => {
      const now = all(view, 'services').find(({ metadata }) => metadata.name === 'forged');
      const was = before;
      before = now;
      if (was === undefined) return undefined;
      if (now?.metadata.resourceVersion === was.metadata.resourceVersion) return undefined;
      return `the forged Service was changed by "${view.lastStep}"`;
    },
    memory: () => before?.metadata.resourceVersion,
  };
};

/** A parent that was never selected has no children at any time. */
const unselectedIsBare = (): Invariant => ({
  name: 'a parent that is not selected gets no child',
  check: (view) => {
    const child = all(view, 'services').find(({ metadata }) => metadata.name.startsWith('never-'));
    return child && `${child.metadata.name} was created by "${view.lastStep}"`;
  },
});

const caseOf = casesOf({
  prefix: 'extension',
  kinds: [accounts],
  invariants: () => [foreignStays(), unselectedIsBare()],
  outcome: atRest,
});

/** The same case with a second extension of the same parents. */
const withBoth = ({ scenario, ...rest }: Case): Case => ({
  ...rest,
  scenario: { ...scenario, kinds: [accounts, others] },
});

/** The operator often ends and starts again. */
const oftenDown: ChaosOptions = { faults: 20, weights: { crash: 20 } };

/** Scenarios of an extension of ConfigMaps. */
export const extensionCases: readonly Case[] = [
  caseOf('create', [create('a'), create('never', 'no'), foreign]),
  caseOf('edit', [create('a'), edit('a', { data: { port: '81' } })]),
  caseOf('stops-matching', [create('a'), create('b'), foreign, select('a', 'no')]),
  caseOf('stops-matching-while-down', [create('a'), select('a', 'no')], { chaos: oftenDown }),
  caseOf('vanishes-while-down', [create('a'), create('b'), remove('a'), create('a')], { chaos: oftenDown }),
  caseOf('matches-again', [create('a'), select('a', 'no'), select('a', 'yes')]),
  caseOf('vanishes', [create('a'), create('b'), remove('a')]),
  caseOf('comes-back', [create('a'), remove('a'), create('a')]),
  caseOf('comes-back-unselected', [create('a'), remove('a'), create('a', 'no')]),
  caseOf('comes-back-twice', [create('a'), remove('a'), create('a'), remove('a'), create('a')]),
  // The watch of children filters by label, so it reports this child as deleted.
  caseOf('unlabelled', [create('a'), unlabel('a-one'), unlabel('a-two')]),
  withBoth(
    caseOf('two-extensions', [create('a'), select('a', 'no'), select('a', 'yes'), edit('a', { data: { port: '81' } })]),
  ),
];
