import { App, Chart, Testing } from 'cdk8s';
import { beforeAll, describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { Transport } from '#lib/kube/transport/transport.ts';
import { MetricsAccess } from '#lib/runtime/metrics/access.ts';
import { fixedCredentials } from '#test/unit/kube/fixed-credentials.ts';

/** An API server, and the token of a cluster administrator. */
export interface ReviewServer {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

const transportOf = ({ url, ca }: ReviewServer, token: string): Transport =>
  new Transport(fixedCredentials(url, token, { ca }));

const post = async (transport: Transport, path: string, body: object): Promise<unknown> =>
  transport.request({ verb: 'create', resource: 'objects', subject: path, method: 'POST', path, body });

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** The rights that a bundle grants for the reviews, and the role of scrapers. */
const reviewRights = (): readonly Manifest[] => {
  const chart = new Chart(new App(), 'chart');
  const props = { name: 'metered', metricsAuthentication: true };
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds: [podSet], image: 'op:1', ...props });
  const all = Testing.synth(chart) as readonly Manifest[];
  return all.filter(({ metadata }) => /^metered-metrics-(?:authentication|reader)$/.test(metadata.name));
};

/** Creates a service account in the namespace `metered`. @returns its token */
const accountOf = async (admin: Transport, name: string): Promise<string> => {
  const accounts = '/api/v1/namespaces/metered/serviceaccounts';
  await post(admin, accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = (await post(admin, `${accounts}/${name}/token`, request)) as { status: { token: string } };
  return answer.status.token;
};

/** Tests the answers of an operator with the rights of its bundle to scrapers, by the reviews of the API server. */
export const describeMetricsAuthentication = (what: string, server: () => ReviewServer): void => {
  describe(`MetricsAccess with ${what}`, () => {
    let access: MetricsAccess;
    let powerless: MetricsAccess;
    let tokens: { readonly reader: string; readonly stranger: string };

    beforeAll(async () => {
      const given = server();
      const admin = transportOf(given, given.token);
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'metered' } };
      await post(admin, '/api/v1/namespaces', namespace);
      for (const manifest of reviewRights()) await post(admin, `${RBAC}/${manifest.kind.toLowerCase()}s`, manifest);
      const operator = await accountOf(admin, 'metered');
      const stranger = await accountOf(admin, 'stranger');
      const reader = await accountOf(admin, 'reader');
      await post(admin, `${RBAC}/clusterrolebindings`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'metered-scraper' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metered-metrics-reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'metered' }],
      });
      const accessAs = (token: string): MetricsAccess => {
        const transport = transportOf(given, token);
        const request = async (asked: Parameters<Transport['request']>[0]): Promise<unknown> =>
          transport.request(asked);
        return new MetricsAccess({ request, timers: systemTimers, log: { warn: () => undefined } });
      };
      access = accessAs(operator);
      powerless = accessAs(stranger);
      tokens = { reader, stranger };
      await admin.close();
    }, 60_000);

    it('shows metrics to a service account with the role of scrapers, and to no other', async () => {
      expect(await access.verdictOn(`Bearer ${tokens.reader}`)).toBe(200);
      expect(await access.verdictOn(`Bearer ${tokens.stranger}`)).toBe(403);
      expect(await access.verdictOn('Bearer nonsense')).toBe(401);
      expect(await access.verdictOn(undefined)).toBe(401);
    });

    it('shows metrics to none when the operator may not ask for reviews', async () => {
      expect(await powerless.verdictOn(`Bearer ${tokens.reader}`)).toBe(503);
    });
  });
};
