import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Role, RoleBinding } from '#lib/kind/handles/built-in-handles.ts';
import { s } from '#lib/kind/schema/schema.ts';

const GROUP = 'rbac.authorization.k8s.io';
const rbac = `${GROUP}/v1` as const;

/** A kind that grants rights which its operator lacks: its children are a Role, and a binding of a ClusterRole. */
export const clerk = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Clerk',
  spec: s.object({ user: s.string({ maxLength: 63 }) }),
  status: s.object({ user: s.string({ maxLength: 63 }) }),
  owns: [Role, RoleBinding],
  desired({ resource: { spec } }) {
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'view' };
    const subjects = [{ apiGroup: GROUP, kind: 'User', name: spec.user }];
    return {
      children: [
        apply({ apiVersion: rbac, kind: 'Role', metadata: { name: 'secret-reader' }, rules }),
        apply({ apiVersion: rbac, kind: 'RoleBinding', metadata: { name: 'viewer' }, roleRef, subjects }),
      ],
      status: { user: spec.user },
      state: ready('Granted', 'the rights are given'),
    };
  },
});
