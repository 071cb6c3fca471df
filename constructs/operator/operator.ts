import { Construct } from 'constructs';
import { addClusterRole } from './cluster-role.ts';
import { addCrd } from './crd.ts';
import { addDeployment } from './deployment.ts';
import { addLeaseRole } from './lease-role.ts';
import { addNamespace } from './namespace.ts';
import { addNamespaceRole } from './namespace-role.ts';
import { checkedProps, type OperatorProps } from './props.ts';
import { policyRules } from './rules.ts';
import { addServiceAccount } from './service-account.ts';

/**
 * Everything that is installed to run some kinds: namespace, CRDs, ServiceAccount, rights, Deployment.
 *
 * Flow: definitions → CRDs and policy rules → plain manifests with fixed names, in the order in which they are applied.
 *
 * Guarantees: the rights are those that the loop uses for these kinds, without wildcards, and only where it works; the pod
 * satisfies the Pod Security level *restricted*; cluster-scoped objects carry no namespace, whatever the chart's is.
 *
 * Assumptions: the image runs `run({ kinds })` of the same kinds.
 *
 * Caveats: works in all namespaces unless told which.
 *
 * @example
 * new Operator(chart, 'operator', { kinds: [podSet], image: 'registry.example.com/operator:1.0.0' });
 */
export class Operator extends Construct {
  /** @throws {ConfigurationError} for props that cannot work, {@link InvalidDefinitionError} for kinds that cannot become CRDs */
  constructor(scope: Construct, id: string, props: OperatorProps) {
    super(scope, id);
    const { kinds, image, name, namespace, namespaces, effects } = checkedProps(this.node.path, props);
    const names = { name, namespace };
    addNamespace(this, names);
    for (const kind of kinds) addCrd(this, names, kind);
    addServiceAccount(this, names);
    const hasEffects = effects !== undefined;
    addClusterRole(this, names, policyRules(kinds, { hasEffects, scope: namespaces && 'Cluster' }));
    for (const where of namespaces ?? []) {
      addNamespaceRole(this, names, {
        namespace: where,
        rules: policyRules(kinds, { hasEffects, scope: 'Namespaced' }),
      });
    }
    addLeaseRole(this, names);
    addDeployment(this, names, {
      image,
      namespaces,
      effectHosts: effects?.allowedHosts,
      prometheusUrl: effects?.prometheusUrl,
    });
  }
}

export type { OperatorProps };
