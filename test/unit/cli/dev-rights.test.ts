import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { Operator } from '#constructs/operator/operator.ts';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { Installation } from '#lib/cli/verbs/dev/cluster/installation.ts';
import { DEV, NAMESPACED_ROLES, rolesFor } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { projectOf } from '#lib/cli/verbs/dev/project.ts';
import type { PolicyRule } from '#lib/desired/rights/policy-rules.ts';
import { startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
}

const isRole = ({ kind }: Role): boolean => kind === 'ClusterRole' || kind === 'Role';

const rulesOf = (roles: readonly Role[]): readonly unknown[] =>
  roles
    .filter(({ rules = [] }) => rules.length > 0)
    .map(({ kind, metadata: { namespace = '' }, rules }) => ({ kind, namespace, rules }))
    .toSorted((a, b) => `${a.kind} ${a.namespace}`.localeCompare(`${b.kind} ${b.namespace}`));

/** The rights that the construct grants, except for the lease. */
const installed = (namespaces: readonly string[]): readonly unknown[] => {
  const chart = new Chart(new App(), 'c');
  const where = namespaces.length === 0 ? {} : { namespaces: [...namespaces] };
  new Operator(chart, 'o', { kinds, image: 'operator:1', effects: { allowedHosts: ['example.com'] }, ...where });
  const roles = (chart.toJson() as Role[]).filter(isRole);
  return rulesOf(roles.filter(({ metadata }) => !metadata.name.endsWith('-leader-election')));
};

describe('Installation', () => {
  it.for([true, false])(
    'grant() takes away what is not needed any more where the cluster is of dev: %j',
    async (isOurs) => {
      await using running = await startEmbeddedCluster();
      const { signal } = new AbortController();
      await using open = new AsyncDisposableStack();
      const cluster = open.adopt(await connectTo({ kubeconfig: running.kubeconfig }, { env: {}, signal }), (one) =>
        one.close(),
      );
      const dev = { cluster, isOurs };
      const where = async (): Promise<readonly unknown[]> => {
        const lists = await Promise.all(
          NAMESPACED_ROLES.map((resource) =>
            cluster.api.list(resource, { labelSelector: `app.kubernetes.io/managed-by=${DEV}` }),
          ),
        );
        return lists.flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`));
      };
      const rule = { apiGroups: [''], resources: ['events'], verbs: ['create'] };
      const rules = { everywhere: [], inNamespaces: [], ofEvents: [rule], elsewhere: {} };
      const first = new Installation(dev, []);
      await first.grant(rules);
      expect(await where()).toEqual(['Role default', 'RoleBinding default']);
      await (isOurs ? new Installation(dev, []) : first).grant({ ...rules, ofEvents: [] });
      expect(await where()).toEqual([]);
      expect(first.standing).toEqual(
        isOurs ? [] : [`kubectl delete ClusterRoleBinding ${DEV}`, `kubectl delete ClusterRole ${DEV}`],
      );
      expect(await first.end()).toEqual([]);
      expect(first.standing).toEqual([]);
    },
  );
});

describe('rolesFor()', () => {
  it.for([[[]], [['shop', 'team']]] as const)(
    'rolesFor() grants in %j what the construct Operator grants',
    ([namespaces]) => {
      const { rules } = projectOf(kinds, { namespaces, hasEffects: true, isEmbedded: false });
      const granted = rolesFor(rules, namespaces);
      expect(rulesOf(granted.map(({ object }) => object as Role).filter(isRole))).toEqual(installed(namespaces));
      expect(granted.every(({ name }) => name === DEV)).toBe(true);
    },
  );
});
