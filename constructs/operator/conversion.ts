import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Service } from 'kubernetes-types/core/v1.js';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from 'kubernetes-types/rbac/v1.js';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { type ConversionService, needsWebhook } from '#lib/kind/versions/webhook.ts';
import { clusterScoped, type OperatorNames, operatorLabels, operatorSelector } from './names.ts';
import { ESCALATION_ANNOTATION, PATCHES_DEFINITIONS } from './rights/escalation.ts';

/** Options of the certificate of the conversion webhook. */
export interface ConversionProps {
  /**
   * `own`: the operator makes the certificate, keeps it in a Secret and renews it; it needs the right to patch the CRDs of these
   * kinds. `cert-manager`: the bundle has an Issuer and a Certificate of cert-manager.io, which must be installed. The operator
   * then needs no rights on the Secret and on the CRDs.
   *
   * @default 'own'
   */
  readonly certificate?: 'own' | 'cert-manager';
}

/** The settings of the webhook in the pods of the operator. */
export interface ConversionWorkload {
  readonly service: string;
  readonly isMounted: boolean;
}

/** The port of the webhook's Service, which forwards to the port of the pods. */
const SERVICE_PORT = 443;

/** The Service of the webhook. The Secret with its certificate has the same name. */
export const conversionService = ({ name, namespace }: OperatorNames): ConversionService => ({
  name: `${name}-conversion`,
  namespace,
  port: SERVICE_PORT,
});

/** The settings of the webhook in the pods; `undefined` when no kind has conversion functions. */
export const conversionWorkload = (
  names: OperatorNames,
  kinds: readonly AnyKindDefinition[],
  { certificate = 'own' }: ConversionProps = {},
): ConversionWorkload | undefined =>
  kinds.some((kind) => needsWebhook(kind))
    ? { service: conversionService(names).name, isMounted: certificate === 'cert-manager' }
    : undefined;

/**
 * The Service of the webhook selects all replicas, including replicas that are not ready. A replica becomes ready when it has
 * listed all objects. If objects are stored in another version, the API server calls the webhook to list them. If the Service
 * selected only ready replicas, the first replica would wait for the webhook, and the webhook for a ready replica.
 */
const addService = (scope: Construct, names: OperatorNames): void => {
  const { name, namespace, port } = conversionService(names);
  new ApiObject(scope, 'conversion-service', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: operatorLabels(names) },
    spec: {
      publishNotReadyAddresses: true,
      selector: operatorSelector(names),
      ports: [{ name: 'conversion', port, targetPort: 'conversion', protocol: 'TCP' }],
    },
  } satisfies Service);
};

const subjectsOf = ({ name, namespace }: OperatorNames): Subject[] => [{ kind: 'ServiceAccount', name, namespace }];

/**
 * The rights on the Secret of the certificate, and the rights to write the CA bundle into the CRDs of these kinds. Both are
 * limited by name. The right to create the Secret can be limited, too, because the operator creates the Secret by an apply, whose
 * URL contains the name.
 */
const addRights = (scope: Construct, names: OperatorNames, crdNames: readonly string[]): void => {
  const { name, namespace } = conversionService(names);
  const apiGroup = 'rbac.authorization.k8s.io';
  const local = { name, namespace, labels: operatorLabels(names) };
  new ApiObject(scope, 'conversion-role', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: local,
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['create', 'get', 'patch'] }],
  } satisfies Role);
  new ApiObject(scope, 'conversion-role-binding', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: local,
    roleRef: { apiGroup, kind: 'Role', name },
    subjects: subjectsOf(names),
  } satisfies RoleBinding);
  const metadata = { name, labels: operatorLabels(names) };
  const annotations = { [ESCALATION_ANNOTATION]: PATCHES_DEFINITIONS };
  const rule = {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: [...crdNames],
    verbs: ['get', 'patch'],
  };
  clusterScoped(
    new ApiObject(scope, 'conversion-cluster-role', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { ...metadata, annotations },
      rules: [rule],
    } satisfies ClusterRole),
  );
  clusterScoped(
    new ApiObject(scope, 'conversion-cluster-role-binding', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: subjectsOf(names),
    } satisfies ClusterRoleBinding),
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
      // In a self-signed certificate, the issuer equals the subject. Without a subject, cert-manager warns about an empty issuer.
      subject: { organizations: ['cdk8s-reconcile'] },
      issuerRef: { kind: 'Issuer', name },
      privateKey: { algorithm: 'ECDSA', size: 256 },
    },
  });
};

/**
 * The annotation of a CRD that makes cert-manager write its CA into the CRD (`caBundle`); empty when the operator writes the CA.
 */
export const injectedAuthority = (
  names: OperatorNames,
  kind: AnyKindDefinition | undefined,
  { certificate = 'own' }: ConversionProps = {},
): Record<string, string> => {
  if (!kind || !needsWebhook(kind) || certificate === 'own') return {};
  const { name, namespace } = conversionService(names);
  return { 'cert-manager.io/inject-ca-from': `${namespace}/${name}` };
};

/** Adds the objects of the conversion webhook, if a kind needs it. */
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
