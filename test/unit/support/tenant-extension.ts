import type { Namespace as KubeNamespace } from 'kubernetes-types/core/v1.js';
import type { Ingress as KubeIngress } from 'kubernetes-types/networking/v1.js';
import { type ExtensionOptions, extendKind } from '#lib/desired/extension/extend-kind.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { Ingress, Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, type KindRef } from '#lib/kind/handles/reference.ts';

/** The label of the namespaces that belong to tenants. */
export const TENANT = 'acme.io/tenant';

/** The label of a child of {@link tenantWith}. */
export const MARK = 'platform.acme.io/tenant-defaults';

/** An extension that gives each tenant's namespace the number of ConfigMaps in its label; with `held` it reports progress. */
export const tenantWith = (more: Partial<ExtensionOptions<KubeNamespace>> = {}) =>
  extendKind({
    of: Namespace,
    fields: [],
    name: 'tenant-defaults',
    group: 'platform.acme.io',
    owns: [ConfigMap],
    desired: ({ resource: { metadata } }) => {
      const count = Number(metadata.labels[TENANT] ?? 0);
      const children = Array.from({ length: count }, (_, index) =>
        apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `tenant-${index + 1}`, namespace: metadata.name },
          data: { tier: metadata.labels['tier'] ?? 'none' },
        }),
      );
      const isHeld = metadata.labels['held'] !== undefined;
      return { children, state: isHeld ? progressing('Held', 'waits') : ready('Configured', 'has its defaults') };
    },
    ...more,
  });

/** An extension of a namespaced kind. */
export const dnsWith = (more: Partial<ExtensionOptions<KubeIngress>> = {}) =>
  extendKind({
    of: Ingress,
    name: 'dns',
    group: 'platform.acme.io',
    owns: [ConfigMap],
    desired: () => ({ children: [], state: ready('Done', 'done') }),
    ...more,
  });

/** An extension of any kind, which makes no children. */
export const extensionOf = (of: KindRef, owns: readonly KindRef[], name = 'other') =>
  extendKind({
    of,
    name,
    group: 'platform.acme.io',
    owns,
    desired: () => ({ children: [], state: ready('Done', 'done') }),
  });
