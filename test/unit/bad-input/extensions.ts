import { Ingress, Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { dnsWith, tenantWith } from '#test/unit/support/tenant-extension.ts';
import type { BadOperator } from './surroundings.ts';

/** Extensions of existing kinds that an operator cannot run, and the errors. */
export const BAD_EXTENSIONS: readonly BadOperator[] = [
  {
    reason: 'two extensions have one name',
    props: { kinds: [tenantWith(), tenantWith({ annotation: true })] },
    rule: 'kind-twice',
    path: 'kinds',
  },
  {
    reason: 'an extension has a name with capitals',
    props: { kinds: [tenantWith({ name: 'TenantDefaults' })] },
    rule: 'extension-name',
    path: 'TenantDefaults name',
  },
  {
    reason: 'an extension has a group without a dot',
    props: { kinds: [tenantWith({ group: 'acme' })] },
    rule: 'extension-group',
    path: 'tenant-defaults group',
  },
  {
    reason: 'the handle of an existing kind has no plural in lower case',
    props: { kinds: [tenantWith({ of: { ...Namespace, plural: 'Namespaces' } })] },
    rule: 'extension-handle',
    path: 'tenant-defaults of',
  },
  {
    reason: 'an extension selects a whole namespace of Kubernetes',
    props: { kinds: [dnsWith({ where: { namespaces: ['kube-system'] } })] },
    rule: 'extension-selection',
    path: 'dns where.namespaces',
  },
  {
    reason: 'an extension owns the kind that it extends',
    props: { kinds: [dnsWith({ owns: [Ingress] })] },
    rule: 'extension-owns-itself',
    path: 'dns owns',
  },
  {
    reason: 'a condition of an extension has spaces',
    props: { kinds: [dnsWith({ condition: { type: 'dns ready' } })] },
    rule: 'extension-condition',
    path: 'dns condition.type',
  },
];
