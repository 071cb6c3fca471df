import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createAuthority, issueCertificate, type KeyPair } from '#lib/conversion/certificate/certificate.ts';
import { kubectl } from '#test/company/gitops/flux.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { committedSamples, OPERATOR } from '#test/control-plane/install.ts';
import { clusterObjects, MONITORING, RELEASE, SHOP } from './cluster.ts';
import { bundleOf, type Manifest } from './operators.ts';
import { unwell } from './resources.ts';

/** The operator that never leads, since it has no right on the lease. */
export const FLAPPING = 'flapping';

/** Addresses of metrics, as `host:port`. */
export interface MetricHosts {
  readonly plain: string;
  readonly secure: string;
  readonly login: string;
}

/** The bundles, with the options of docs/monitoring.md: one authenticates its scrapers, the other does not. */
export const bundlesFor = ({ plain, secure, login }: MetricHosts) => {
  const monitoring = {
    serviceMonitor: true,
    alerts: true,
    dashboard: true,
    labels: RELEASE,
    kubeStateMetrics: { namespace: MONITORING },
  };
  return {
    main: bundleOf(OPERATOR, {
      monitoring,
      metricsAuthentication: true,
      effects: { metricHosts: [plain, secure, login], prometheusUrl: `http://${plain}` },
    }),
    flapping: bundleOf(FLAPPING, { monitoring: { ...monitoring, kubeStateMetrics: false } }),
  };
};

/** Applies objects, as one list. */
export const applyAll = async (plane: ControlPlane, items: readonly object[]): Promise<void> => {
  await kubectl(plane, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
};

const established = ['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all'];

/** The two commands of docs/monitoring.md and docs/metrics.md. */
const bindings: readonly (readonly string[])[] = [
  ['cdk8s-reconcile-metrics', 'cdk8s-reconcile-metrics-reader', `${MONITORING}:prometheus-k8s`],
  ['cdk8s-reconcile-kube-state-metrics', 'cdk8s-reconcile-kube-state-metrics', `${MONITORING}:kube-state-metrics`],
].map(([name = '', role = '', account = '']) => [
  'create',
  'clusterrolebinding',
  name,
  `--clusterrole=${role}`,
  `--serviceaccount=${account}`,
]);

const AN_HOUR_MS = 3_600_000;

/** A private CA, and a certificate that it signed for this machine. */
export const privateCertificate = (): { readonly authority: string; readonly server: KeyPair } => {
  const validity = { from: new Date(Date.now() - AN_HOUR_MS), until: new Date(Date.now() + AN_HOUR_MS) };
  const { certificate, key } = createAuthority('a private authority', validity);
  const signer = { certificate: new X509Certificate(certificate), key: createPrivateKey(key) };
  return { authority: certificate, server: issueCertificate(signer, { hosts: ['127.0.0.1'], validity }) };
};

const authorityObjects = (authority: string): readonly object[] => {
  const metadata = { name: 'private-ca', namespace: SHOP };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'ca.crt': authority } },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { 'authority.pem': authority } },
  ];
};

/** What is installed. */
export interface Installation {
  /** A file with the CRDs of the Prometheus Operator. */
  readonly definitions: string;
  readonly bundles: Readonly<Record<'main' | 'flapping', readonly Manifest[]>>;
  /** In PEM. */
  readonly authority: string;
}

/** Installs all objects: CRDs, bundles, roles, and resources of all kinds. */
export const installAll = async (
  plane: ControlPlane,
  { definitions, bundles, authority }: Installation,
): Promise<void> => {
  await kubectl(plane, ['apply', '--server-side', '-f', definitions]);
  await kubectl(plane, established);
  await applyAll(plane, clusterObjects);
  await applyAll(plane, bundles.main);
  await applyAll(plane, bundles.flapping);
  await kubectl(plane, ['-n', FLAPPING, 'delete', 'rolebinding', `${FLAPPING}-leader-election`]);
  await kubectl(plane, established);
  for (const command of bindings) await kubectl(plane, command);
  await applyAll(plane, authorityObjects(authority));
  await kubectl(plane, ['apply', '-f', committedSamples]);
  await applyAll(plane, unwell);
};
