import type { CheckedProps } from '#constructs/operator/props.ts';
import { type GrantProps, isOfRbac } from '#constructs/operator/rights/grants.ts';
import type { Refuse } from './hosts.ts';

/** By owned kind: the option in `grants`, an example, and a description of the roles. */
const NEEDED = {
  RoleBinding: ['bind', 'ClusterRole/view', 'the roles that its bindings refer to'],
  ClusterRoleBinding: ['bind', 'ClusterRole/view', 'the roles that its bindings refer to'],
  Role: ['escalate', 'Role/reader', 'the roles that it makes'],
  ClusterRole: ['escalate', 'ClusterRole/reader', 'the roles that it makes'],
} as const;

const isNeeding = (kind: string): kind is keyof typeof NEEDED => kind in NEEDED;

const ROLE = /^(?:Role|ClusterRole)\/[^\s/*]+$/;

const checkNames = (refuse: Refuse, verb: keyof GrantProps, names: readonly string[] = []): void => {
  const path = `grants.${verb}`;
  const fix = 'expected the kind and name of one role, such as ClusterRole/view';
  for (const name of names.filter((each) => !ROLE.test(each)))
    refuse({ rule: 'grants', path, message: `${path} has ${JSON.stringify(name)}`, fix });
};

const checkUse = (refuse: Refuse, { kinds, grants = {} }: Pick<CheckedProps, 'kinds' | 'grants'>): void => {
  const owned = kinds.flatMap(({ owns }) => owns.filter(isOfRbac).map(({ kind }) => kind));
  const used = new Set(owned.filter(isNeeding).map((kind) => NEEDED[kind][0]));
  for (const verb of ['bind', 'escalate'] as const) {
    const names = grants[verb] ?? [];
    if (names.length === 0 || used.has(verb)) continue;
    const message = `grants.${verb} names ${names.join(', ')}, and no kind of this operator owns ${verb === 'bind' ? 'bindings' : 'roles'}`;
    refuse({ rule: 'grants', path: `grants.${verb}`, message, fix: 'leave it out' });
  }
};

/**
 * Refuses kinds that own RBAC roles or bindings if the option in `grants` is absent, and grants that no kind uses. Also refuses
 * entries that are not names of roles.
 */
export const checkGrants = (refuse: Refuse, { kinds, grants = {} }: CheckedProps): void => {
  for (const { kind, owns } of kinds)
    for (const owned of owns.filter(isOfRbac)) {
      if (!isNeeding(owned.kind)) continue;
      const [verb, example, which] = NEEDED[owned.kind];
      if (grants[verb] !== undefined) continue;
      const message = `${kind} owns ${owned.kind}, and the API server forbids an operator to hand out rights that it lacks`;
      const fix = `name ${which}: grants: { ${verb}: ['${example}'] }; or [] if the operator has all their rights itself`;
      refuse({ rule: 'grants', path: `grants.${verb}`, message, fix });
    }
  checkUse(refuse, { kinds, grants });
  checkNames(refuse, 'bind', grants.bind);
  checkNames(refuse, 'escalate', grants.escalate);
};
