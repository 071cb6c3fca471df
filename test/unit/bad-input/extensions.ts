import { Ingress, Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, Deployment, Pod } from '#lib/kind/handles/reference.ts';
import { dnsWith, extensionOf, tenantWith } from '#test/unit/support/tenant-extension.ts';
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
    reason: 'the handle of a built-in kind has a wrong plural',
    props: { kinds: [tenantWith({ of: { ...Namespace, plural: 'namespace' } })] },
    rule: 'extension-handle',
    path: 'tenant-defaults of.plural',
  },
  {
    reason: 'the handle of a built-in kind has a wrong scope',
    props: { kinds: [dnsWith({ of: { ...Ingress, scope: 'Cluster' } })] },
    rule: 'extension-handle',
    path: 'dns of.scope',
  },
  {
    reason: 'the handle of a built-in kind has a misspelled kind',
    props: { kinds: [dnsWith({ of: { ...Ingress, kind: 'Ingres', plural: 'ingress' } })] },
    rule: 'extension-handle',
    path: 'dns of.kind',
  },
  {
    reason: 'the selection of an extension has an empty list of names',
    props: { kinds: [tenantWith({ where: { names: [] } })] },
    rule: 'extension-selection',
    path: 'tenant-defaults where.names',
  },
  {
    reason: 'the selection of an extension has an invalid label',
    props: { kinds: [tenantWith({ where: { labels: { 'acme.io/team': 'team a' } } })] },
    rule: 'extension-selection',
    path: 'tenant-defaults where.labels["acme.io/team"]',
  },
  {
    reason: 'two extensions make parents for each other',
    props: { kinds: [dnsWith(), extensionOf(ConfigMap, [Ingress])] },
    rule: 'extension-circle',
    path: 'dns owns',
  },
  {
    reason: 'an extension of pods owns a kind whose controller makes pods',
    props: { kinds: [extensionOf(Pod, [Deployment])] },
    rule: 'extension-circle',
    path: 'other owns',
  },
  {
    reason: 'an extension selects a whole namespace of Kubernetes',
    props: { kinds: [dnsWith({ where: { namespaces: ['kube-system'] } })] },
    rule: 'extension-selection',
    path: 'dns where.namespaces',
  },
  {
    reason: 'an extension selects a whole namespace of Kubernetes by empty labels',
    props: { kinds: [dnsWith({ where: { namespaces: ['kube-system'], labels: {} } })] },
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
