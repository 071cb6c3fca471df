import { Construct } from 'constructs';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { assertConsistent } from '#lib/desired/definition-check.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { namesOf } from '#lib/kind/names.ts';
import { addClusterRole } from './cluster-role.ts';
import { addClusterRoleBinding } from './cluster-role-binding.ts';
import { addCrd } from './crd.ts';
import { addDeployment } from './deployment.ts';
import { addLeaseRole } from './lease-role.ts';
import { addNamespace } from './namespace.ts';
import { addServiceAccount } from './service-account.ts';

/** What an operator runs, and under which name. */
export interface OperatorProps {
  /** Definitions of the kinds that it reconciles; at least one. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The container image; prefer a digest. */
  readonly image: string;
  /** Name of the Deployment, the ServiceAccount, the Lease and the cluster-wide objects: a DNS label. @default 'reconcile-operator' */
  readonly name?: string;
  /** The namespace that is made for it: a DNS label. @default the name */
  readonly namespace?: string;
}

/** RFC 1123 label: what namespaces and service names must be. */
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const checkProps = (path: string, { kinds, image, name, namespace }: Required<OperatorProps>): void => {
  const refuse = (what: string): never => {
    throw new ConfigurationError(`Invalid Operator at construct path "${path}": ${what}`);
  };
  if (kinds.length === 0) refuse('kinds is empty; name at least one definition, such as podSet');
  if (!/^\S{1,512}$/.test(image))
    refuse(`image is ${JSON.stringify(image)}; expected a reference such as registry/name@sha256:…`);
  for (const [prop, value] of Object.entries({ name, namespace })) {
    if (!dnsLabel.test(value))
      refuse(`${prop} is ${JSON.stringify(value)}; expected a DNS label of 1 to 63 characters (a-z, 0-9, -)`);
  }
  if (/^(default|kube-.*)$/.test(namespace)) {
    refuse(
      `namespace is "${namespace}", which belongs to the cluster; the bundle makes a namespace of its own, so choose another name`,
    );
  }
  const crdNames = kinds.map((kind) => namesOf(kind).crdName);
  const twice = crdNames.find((crdName, index) => crdNames.indexOf(crdName) !== index);
  if (twice !== undefined) refuse(`kinds names ${twice} twice; list every kind once`);
  kinds.forEach(assertConsistent);
};

/**
 * Everything that is installed to run some kinds: namespace, CRDs, ServiceAccount, rights, Deployment.
 *
 * Flow: definitions → CRDs and policy rules → plain manifests with fixed names, in the order in which they are applied.
 *
 * Guarantees: the rights are those that the loop uses for these kinds, without wildcards; the pod satisfies the Pod
 * Security level *restricted*; cluster-scoped objects carry no namespace, whatever the chart's is.
 *
 * Assumptions: the image runs `run({ kinds })` of the same kinds.
 *
 * Caveats: watches all namespaces.
 *
 * @example
 * new Operator(chart, 'operator', { kinds: [podSet], image: 'registry.example.com/operator:1.0.0' });
 */
export class Operator extends Construct {
  /** @throws {ConfigurationError} for props that cannot work, {@link InvalidDefinitionError} for kinds that cannot become CRDs */
  constructor(scope: Construct, id: string, props: OperatorProps) {
    super(scope, id);
    const { kinds, image, name = 'reconcile-operator', namespace = name } = props;
    checkProps(this.node.path, { kinds, image, name, namespace });
    const names = { name, namespace };
    addNamespace(this, names);
    for (const kind of kinds) addCrd(this, names, kind);
    addServiceAccount(this, names);
    addClusterRole(this, names, kinds);
    addClusterRoleBinding(this, names);
    addLeaseRole(this, names);
    addDeployment(this, names, image);
  }
}
