import { describe, expect, it } from 'vitest';
import { extendKind } from '#lib/desired/extension/extend-kind.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { check } from '#lib/foresight/check/check.ts';
import { type LiveObject, nameInWords } from '#lib/foresight/cluster/live-object.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { planInWords } from '#lib/foresight/plan/plan-in-words.ts';
import { replayPass } from '#lib/foresight/replay/replay-pass.ts';
import { kindsByService } from '#lib/foresight/served/unserved.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { previewUpgrade } from '#lib/foresight/upgrade/preview-upgrade.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, Service } from '#lib/kind/handles/reference.ts';
import { type PassRecord, passRecordOf } from '#lib/loop/record/pass-record.ts';
import { dnsNames } from '#test/examples/authors/dns-names.ts';
import { tenantDefaults } from '#test/examples/authors/tenant-defaults.ts';
import { liveCluster, NOW, RunningCluster } from '#test/unit/support/foresight-cluster.ts';
import { dnsWith, extensionOf, TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';
import { RuntimeClass } from './served/portal.ts';

const teamOf = (labels: Readonly<Record<string, string>>): LiveObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', labels },
});

const tenant = tenantWith({ annotation: true });

/** A build that gives each namespace one child less. */
const meaner = {
  ...tenant,
  desired: (seen: Parameters<typeof tenant.desired>[0]) => {
    const desired = tenant.desired(seen);
    return { ...desired, children: desired.children.slice(1) };
  },
};

/** Gives a Service to each ConfigMap that is on. */
const accounts = extendKind({
  of: ConfigMap,
  name: 'accounts',
  group: 'platform.acme.io',
  where: { labels: { on: 'yes' } },
  owns: [Service],
  desired: ({ resource: { metadata } }) => ({
    children: [
      apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: metadata.name }, spec: { ports: [{ port: 80 }] } }),
    ],
    state: ready('Done', 'it has its Service'),
  }),
});

const noted = (on: string): LiveObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', labels: { on } },
});

/** The parents of the examples of docs/extensions.md. */
const examples: readonly LiveObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team-a', labels: { 'acme.io/defaults': 'on', 'acme.io/team': 'a' } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'shop', namespace: 'default', annotations: { 'acme.io/dns-ttl': '300' } },
    spec: {
      rules: [{ host: 'shop.apps.acme.io' }],
      defaultBackend: { service: { name: 'shop', port: { number: 80 } } },
    },
  },
];

describe('the examples of docs/extensions.md', () => {
  const kinds = [tenantDefaults, dnsNames];
  const children = [
    'ResourceQuota team-a/tenant-defaults',
    'LimitRange team-a/tenant-defaults',
    'NetworkPolicy team-a/tenant-defaults',
    'RoleBinding team-a/tenant-defaults',
    'ConfigMap default/dns.shop.apps.acme.io',
  ];

  it('can be planned', async () => {
    const changes = examples.map((object) => ({ verb: 'apply' as const, object }));
    const { writes, notes } = await planChange({ kinds, live: [], changes, now: NOW });
    expect(writes.filter(({ action }) => action === 'create').map(nameInWords)).toEqual(children);
    expect(notes.filter((note) => note.includes('left out'))).toEqual([]);
  });

  it('can be simulated: children are deleted with their parent', async () => {
    const script = { changes: [{ at: '1m', delete: 'Ingress/shop' }], duration: '5m' };
    const { final, notes } = await simulate({ kinds, manifests: examples, script });
    const left = final.map(({ kind, metadata: { namespace = '', name } }) => `${kind} ${namespace}/${name}`);
    expect(left).toEqual(expect.arrayContaining(children.slice(0, -1)));
    expect(left).not.toContain(children.at(-1));
    expect(notes).toEqual([]);
  });
});

describe('foresight about an extension', () => {
  it('planChange() shows the children of a parent that is selected, and names the extension', async () => {
    const changes = [{ verb: 'apply' as const, object: teamOf({ [TENANT]: '1' }) }];
    const plan = await planChange({ kinds: [tenant], live: [], changes, now: NOW });
    expect(planInWords(plan)).toMatchInlineSnapshot(`
      "Namespace team would be created

      For Namespace team (tenant-defaults) the operator would
        + ConfigMap team/tenant-1          Missing
        ~ metadata                         Configured
            + metadata.annotations["platform.acme.io/tenant-defaults"]: Ready: Configured

      For Namespace default (tenant-defaults) the operator would
        ~ metadata                         Configured (without the change, too)
            + metadata.annotations["platform.acme.io/tenant-defaults"]: Ready: Configured

      Note
        a resource that does not exist yet will get another uid than here, so generated names of its children will differ

      Plan: 1 to create, 1 to change, 0 to delete. Independently of the change, the operator would write 1 object.
      "
    `);
  });

  it('planChange() shows the deletions when a parent stops matching', async () => {
    const kinds = [tenantWith({ where: { labels: { on: 'yes' } } })];
    const live = await liveCluster(kinds, [teamOf({ [TENANT]: '2', on: 'yes' })]);
    const changes = [{ verb: 'apply' as const, object: teamOf({ [TENANT]: '2', on: 'no' }) }];
    const { writes } = await planChange({ kinds, live, changes, now: NOW });
    expect(writes.map(({ action, name, extension }) => [action, name, extension])).toEqual([
      ['delete', 'tenant-1', 'tenant-defaults'],
      ['delete', 'tenant-2', 'tenant-defaults'],
    ]);
  });

  it('previewUpgrade() counts the writes for each extension', async () => {
    const live = await liveCluster([tenant], [teamOf({ [TENANT]: '2' })]);
    const classes = extensionOf(RuntimeClass, [ConfigMap]);
    const preview = await previewUpgrade({ from: [tenant, classes], to: [meaner, classes], live, now: NOW });
    expect(preview.kinds).toMatchObject([
      { kind: 'tenant-defaults', removed: 1 },
      { kind: 'other', objects: 0, removed: 0 },
    ]);
    expect(preview.notes.join()).toContain('other extends RuntimeClass');
  });

  it('previewUpgrade() names parents that would wait for consent, and deletes none of their children', async () => {
    const teams = ['a', 'b', 'c'].map((name) => ({
      ...teamOf({}),
      metadata: { name, labels: { [TENANT]: '1', ...(name === 'a' && { on: 'yes' }) } },
    }));
    const live = await liveCluster([tenant], teams);
    const choosy = tenantWith({ annotation: true, where: { labels: { on: 'yes' } } });
    const preview = await previewUpgrade({ from: [tenant], to: [choosy], live, now: NOW });
    expect(preview.kinds).toMatchObject([{ kind: 'tenant-defaults', removed: 0 }]);
    expect(preview.notes).toContain(
      'tenant-defaults no longer matches 2 of 3 namespaces with children: after a start of the operator, their children stay until the annotation cdk8s-reconcile/allow-prune=tenant-defaults.platform.acme.io=<number of children> of each of them allows that they are deleted',
    );
  });

  it('simulate() shows the children come and go with the labels of the parent', async () => {
    const script = { changes: [{ at: '1m', apply: teamOf({}) }] };
    const report = await simulate({ kinds: [tenant], manifests: [teamOf({ [TENANT]: '1' })], script });
    const ofChild = report.timeline.filter(({ sort }) => sort === 'child');
    expect(ofChild.map(({ object, what, why }) => [object, what, why])).toEqual([
      ['ConfigMap team/tenant-1', 'created', 'Missing'],
      ['ConfigMap team/tenant-1', 'deleted', 'Undeclared'],
    ]);
  });

  it('check() finds no failure while a parent stops matching, goes, and comes back under its name', async () => {
    const changes = [
      { at: '1m', apply: noted('no') },
      { at: '2m', apply: noted('yes') },
      { at: '3m', delete: 'ConfigMap/a' },
      { at: '3m1s', apply: noted('yes') },
    ];
    const given = { kinds: [accounts], manifests: [noted('yes')], script: { changes } };
    const report = await check({ ...given, schedules: 100, states: 100 });
    expect(report.failure).toBeUndefined();
    expect(report.schedules).toBe(100);
  });

  it('replayPass() repeats the passes of an extension, and refuses those of another one', async () => {
    const records: PassRecord[] = [];
    const cluster = await RunningCluster.start([tenant], [teamOf({ [TENANT]: '1' })], {
      onDecision: (decision) =>
        void records.push(JSON.parse(JSON.stringify(passRecordOf(decision, records.length + 1))) as PassRecord),
    });
    await cluster.run(10_000);
    const own = records.filter(({ key }) => key === '/team');
    expect(own.length).toBeGreaterThan(0);
    expect(own[0]).toMatchObject({ kind: 'Namespace', extension: 'tenant-defaults.platform.acme.io' });
    for (const record of own) expect(replayPass([dnsWith(), tenant], record).differences).toEqual([]);
    expect(() => replayPass([dnsWith()], own[0] as PassRecord)).toThrow(/no kind tenant-defaults\.platform\.acme\.io/);
  });

  it('kindsByService() leaves out an extension of a kind that the cluster does not serve', () => {
    const strange = tenantWith({ of: { ...Namespace, apiVersion: 'nowhere.example.com/v1', kind: 'Nothing' } });
    const { served, unserved } = kindsByService([tenant, strange], { cluster: 'embedded' });
    expect(served).toEqual([tenant]);
    expect(unserved.map(({ error }) => error.message)).toEqual([
      expect.stringContaining(
        'tenant-defaults extends Nothing (nowhere.example.com/v1), which the embedded cluster does not serve',
      ),
    ]);
  });
});
