import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { Operator } from '#constructs/operator/operator.ts';
import { projectOf } from '#lib/cli/dev/project.ts';
import { DEV, rolesFor } from '#lib/cli/dev/rights.ts';
import type { PolicyRule } from '#lib/desired/policy-rules.ts';

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

/** What the construct grants, but for the lease. */
const installed = (namespaces: readonly string[]): readonly unknown[] => {
  const chart = new Chart(new App(), 'c');
  const where = namespaces.length === 0 ? {} : { namespaces: [...namespaces] };
  new Operator(chart, 'o', { kinds, image: 'operator:1', effects: { allowedHosts: ['example.com'] }, ...where });
  const roles = (chart.toJson() as Role[]).filter(isRole);
  return rulesOf(roles.filter(({ metadata }) => !metadata.name.endsWith('-leader-election')));
};

describe('rolesFor()', () => {
  it.for([[[]], [['shop', 'team']]] as const)(
    'rolesFor() grants in %j what the construct Operator grants',
    ([namespaces]) => {
      const { rules } = projectOf(kinds, { namespaces, hasEffects: true });
      const granted = rolesFor(rules, namespaces);
      expect(rulesOf(granted.map(({ object }) => object as Role).filter(isRole))).toEqual(installed(namespaces));
      expect(granted.every(({ name }) => name === DEV)).toBe(true);
    },
  );
});
