import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { type ConversionService, needsWebhook } from '#lib/kind/versions/webhook.ts';
import { ESCALATION_ANNOTATION, PATCHES_DEFINITIONS } from './escalation.ts';
import { clusterScoped, type OperatorNames, operatorLabels, operatorSelector } from './names.ts';

/** Where the certificate of the conversion webhook comes from. */
export interface ConversionProps {
  /**
   * `own`: the operator makes it, keeps it in a Secret and renews it; for that it may patch the CRDs of these kinds. `cert-manager`: an
   * Issuer and a Certificate of cert-manager.io, which must be installed; the operator needs no right then.
   *
   * @default 'own'
   */
  readonly certificate?: 'own' | 'cert-manager';
}

/** The webhook, as the pods and the network policy see it. */
export interface ConversionWorkload {
  readonly service: string;
  readonly isMounted: boolean;
}

/** Where the webhook's Service answers; what it leads to is the port of the pods. */
const SERVICE_PORT = 443;

/** Where the webhook is found; its certificate is in a Secret of the same name. */
export const conversionService = ({ name, namespace }: OperatorNames): ConversionService => ({
  name: `${name}-conversion`,
  namespace,
  port: SERVICE_PORT,
});

/** What the pods need to know; undefined when no kind has versions that a function converts. */
export const conversionWorkload = (
  names: OperatorNames,
  kinds: readonly AnyKindDefinition[],
  { certificate = 'own' }: ConversionProps = {},
): ConversionWorkload | undefined =>
  kinds.some((kind) => needsWebhook(kind))
    ? { service: conversionService(names).name, isMounted: certificate === 'cert-manager' }
    : undefined;

/**
 * All replicas, ready or not: they are ready when their lists are complete, and lists of objects that are stored in another
 * version need the webhook. Waiting for readiness would be waiting for each other.
 */
const addService = (scope: Construct, names: OperatorNames): void => {
  const { name, namespace, port } = conversionService(names);
  new k8s.KubeService(scope, 'conversion-service', {
    metadata: { name, namespace, labels: operatorLabels(names) },
    spec: {
      publishNotReadyAddresses: true,
      selector: operatorSelector(names),
      ports: [{ name: 'conversion', port, targetPort: k8s.IntOrString.fromString('conversion'), protocol: 'TCP' }],
    },
  });
};

const subjectsOf = ({ name, namespace }: OperatorNames): k8s.Subject[] => [{ kind: 'ServiceAccount', name, namespace }];

/** One Secret by name, created by an apply; and the definitions of these kinds by name, to tell whom to trust. */
const addRights = (scope: Construct, names: OperatorNames, crdNames: readonly string[]): void => {
  const { name, namespace } = conversionService(names);
  const apiGroup = 'rbac.authorization.k8s.io';
  const local = { name, namespace, labels: operatorLabels(names) };
  new k8s.KubeRole(scope, 'conversion-role', {
    metadata: local,
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['create', 'get', 'patch'] }],
  });
  new k8s.KubeRoleBinding(scope, 'conversion-role-binding', {
    metadata: local,
    roleRef: { apiGroup, kind: 'Role', name },
    subjects: subjectsOf(names),
  });
  const metadata = { name, labels: operatorLabels(names) };
  const annotations = { [ESCALATION_ANNOTATION]: PATCHES_DEFINITIONS };
  const rule = {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: [...crdNames],
    verbs: ['get', 'patch'],
  };
  clusterScoped(
    new k8s.KubeClusterRole(scope, 'conversion-cluster-role', {
      metadata: { ...metadata, annotations },
      rules: [rule],
    }),
  );
  clusterScoped(
    new k8s.KubeClusterRoleBinding(scope, 'conversion-cluster-role-binding', {
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: subjectsOf(names),
    }),
  );
};

/** @see https://cert-manager.io/docs/configuration/selfsigned/ */
const addCertificate = (scope: Construct, names: OperatorNames): void => {
  const { name, namespace } = conversionService(names);
  const apiVersion = 'cert-manager.io/v1';
  const metadata = { name, namespace, labels: operatorLabels(names) };
  new ApiObject(scope, 'conversion-issuer', { apiVersion, kind: 'Issuer', metadata, spec: { selfSigned: {} } });
  new ApiObject(scope, 'conversion-certificate', {
    apiVersion,
    kind: 'Certificate',
    metadata,
    spec: {
      secretName: name,
      dnsNames: [`${name}.${namespace}.svc`],
      issuerRef: { kind: 'Issuer', name },
      privateKey: { algorithm: 'ECDSA', size: 256 },
    },
  });
};

/** Annotation of a CRD that has cert-manager put its authority there; none when the operator does it. */
export const injectedAuthority = (
  names: OperatorNames,
  kind: AnyKindDefinition | undefined,
  { certificate = 'own' }: ConversionProps = {},
): Record<string, string> => {
  if (!kind || !needsWebhook(kind) || certificate === 'own') return {};
  const { name, namespace } = conversionService(names);
  return { 'cert-manager.io/inject-ca-from': `${namespace}/${name}` };
};

/** What converts objects between versions: nothing, unless a kind needs it. */
export const addConversion = (
  scope: Construct,
  names: OperatorNames,
  {
    kinds,
    conversion: { certificate = 'own' } = {},
  }: { readonly kinds: readonly AnyKindDefinition[]; readonly conversion?: ConversionProps },
): void => {
  const converted = kinds.filter((kind) => needsWebhook(kind));
  if (converted.length === 0) return;
  addService(scope, names);
  if (certificate === 'cert-manager') addCertificate(scope, names);
  else addRights(scope, names, converted.map((kind) => namesOf(kind).crdName).toSorted());
};
