import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Service } from 'kubernetes-types/core/v1.js';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from 'kubernetes-types/rbac/v1.js';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { type ConversionService, needsWebhook } from '#lib/kind/versions/webhook.ts';
import { clusterScoped, type OperatorNames, operatorLabels, operatorSelector } from './names.ts';
import { ESCALATION_ANNOTATION, PATCHES_DEFINITIONS } from './rights/escalation.ts';

/** The sources of the certificate of the conversion webhook. */
export const CERTIFICATES = ['own', 'cert-manager'] as const;

/** Options of the certificate of the conversion webhook. */
export interface ConversionProps {
  /**
   * `own`: the operator makes the certificate, stores it in a Secret and renews it. For this purpose, the operator may patch the
   * CRDs of the kinds that need the webhook. `cert-manager`: the bundle has an Issuer and a Certificate of cert-manager, which
   * must be installed. The operator then needs no rights on the Secret and the CRDs.
   *
   * @default 'own'
   */
  readonly certificate?: (typeof CERTIFICATES)[number];
}

/** The name of the Service of the conversion webhook, and whether the pods mount the certificate of cert-manager. */
export interface ConversionWorkload {
  readonly service: string;
  readonly isMounted: boolean;
}

const SERVICE_PORT = 443;

/** The Service of the conversion webhook. The Secret with the certificate has the same name. */
export const conversionService = ({ name, namespace }: OperatorNames): ConversionService => ({
  name: `${name}-conversion`,
  namespace,
  port: SERVICE_PORT,
});

/** Returns the settings of the conversion webhook for the Deployment, or `undefined` if no kind needs the webhook. */
export const conversionWorkload = (
  names: OperatorNames,
  kinds: readonly AnyKindDefinition[],
  { certificate = 'own' }: ConversionProps = {},
): ConversionWorkload | undefined =>
  kinds.some((kind) => needsWebhook(kind))
    ? { service: conversionService(names).name, isMounted: certificate === 'cert-manager' }
    : undefined;

/**
 * The Service includes replicas that are not ready. A replica becomes ready after it has listed all objects. To list objects
 * in another stored version, the API server calls the webhook. With ready replicas only, the first replica would never become
 * ready.
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
 * All rules name their objects. A rule can also limit the create of the Secret by name, because the operator creates the Secret
 * by a server-side apply.
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
      // Without a subject, cert-manager warns about an empty issuer of the self-signed certificate.
      subject: { organizations: ['cdk8s-reconcile'] },
      issuerRef: { kind: 'Issuer', name },
      privateKey: { algorithm: 'ECDSA', size: 256 },
    },
  });
};

/**
 * Makes the annotation that makes cert-manager write the CA bundle into a CRD.
 *
 * @returns an empty object without a kind, for a kind without a webhook, and if the operator itself writes the CA bundle
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

/**
 * If a kind needs the conversion webhook, adds the Service of the webhook. Also adds the rights of the operator on the Secret and
 * the CRDs, or the Issuer and Certificate of cert-manager.
 */
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
