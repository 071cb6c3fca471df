import { setTimeout as sleep } from 'node:timers/promises';
import { compileCrd } from '#lib/kind/crd.ts';
import { kubectl } from '#test/company/gitops/flux.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { greeting, v1alpha1 } from '#test/examples/greeting.ts';
import { type CertifiedSite, NAME, onCertifiedSite, SERVICE } from './site.ts';

const CRD = 'greetings.demo.example.com';
const USER = `system:serviceaccount:${NAME}:${NAME}`;
/** Time for which the webhook must work before the renewal counts as done. */
const QUIET_MS = 40_000;
const POLL_MS = 250;

const pathOf = (version: string, name = ''): string =>
  `/apis/demo.example.com/${version}/namespaces/default/greetings${name && `/${name}`}`;

const converts = async ({ plane }: CertifiedSite): Promise<boolean> => {
  const { status, body } = await plane.request<{ spec?: object }>('GET', pathOf('v1beta1', 'ann'));
  return status === 200 && JSON.stringify(body.spec) === '{"message":{"text":"ann"},"names":[],"repeat":1}';
};

/** The authority in the CRD, in base64. */
const injected = async ({ plane }: CertifiedSite): Promise<string> =>
  kubectl(plane, ['get', 'crd', CRD, '-o', 'jsonpath={.spec.conversion.webhook.clientConfig.caBundle}']);

const decoded = (base64 = ''): string => Buffer.from(base64, 'base64').toString().trim();

/** After a renewal, cert-manager keeps the earlier authority in the CRD, too. */
const isInjected = async (site: CertifiedSite): Promise<boolean> => {
  const authority = decoded((await site.secret())['ca.crt']);
  return authority !== '' && decoded(await injected(site)).includes(authority);
};

const assertUnprivileged = async ({ plane }: CertifiedSite): Promise<void> => {
  const entries = await plane.auditEntries({ user: USER });
  const touched = entries.filter(({ resource }) => resource === 'secrets' || resource === 'customresourcedefinitions');
  if (touched.length > 0) throw new Error(`The operator requested ${JSON.stringify(touched[0])}`);
  const refused = entries.find(({ code }) => code === 403);
  if (refused) throw new Error(`The operator has no right to ${JSON.stringify(refused)}`);
};

const first = async ({ plane }: CertifiedSite): Promise<void> => {
  const { group, kind } = greeting;
  await kubectl(plane, ['apply', '-f', '-'], JSON.stringify(compileCrd({ group, kind, ...v1alpha1 })));
  await waitFor('the first version', async () => (await plane.request('GET', pathOf('v1alpha1'))).status === 200);
  const metadata = { name: 'ann' };
  const body = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Greeting', metadata, spec: { text: 'ann' } };
  const { status } = await plane.request('POST', pathOf('v1alpha1'), body);
  if (status !== 201) throw new Error(`Cannot create the first greeting: ${status}`);
};

/** Objects that are stored in the first version are read in the second one, by a webhook with a certificate of cert-manager. */
export const certified = async (): Promise<string> =>
  onCertifiedSite(async (site) => {
    await first(site);
    const began = Date.now();
    await site.install();
    await waitFor('conversions', async () => converts(site));
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    if (!(await isInjected(site))) throw new Error('The definition has another authority than the Secret');
    await assertUnprivileged(site);
    return `the first conversion after ${seconds} s`;
  });

/** As `cmctl renew` does. */
const renew = async ({ plane }: CertifiedSite): Promise<void> => {
  const path = `/apis/cert-manager.io/v1/namespaces/${NAME}/certificates/${SERVICE}`;
  const { body } = await plane.request<{ status: { conditions: readonly { readonly type: string }[] } }>('GET', path);
  const issuing = { type: 'Issuing', status: 'True', reason: 'ManuallyTriggered', message: 'renewed by a test' };
  const conditions = [...body.status.conditions.filter(({ type }) => type !== 'Issuing'), issuing];
  const { status } = await plane.request(
    'PATCH',
    `${path}/status`,
    { status: { conditions } },
    { contentType: 'application/merge-patch+json' },
  );
  if (status !== 200) throw new Error(`Cannot renew the certificate: ${status}`);
};

/** Observes conversions until they have worked for a while. @returns how long they failed, in milliseconds */
const observed = async (site: CertifiedSite): Promise<number> => {
  let failedMs = 0;
  let goodSince = Date.now();
  for (let last = Date.now(); Date.now() - goodSince < QUIET_MS; ) {
    await sleep(POLL_MS);
    const now = Date.now();
    if (!(await converts(site))) {
      failedMs += now - last;
      goodSince = Date.now();
    }
    last = now;
  }
  return failedMs;
};

/** A renewed certificate is injected and served; conversions fail only in between, as docs/versions.md states. */
export const renewed = async (): Promise<string> =>
  onCertifiedSite(async (site) => {
    await first(site);
    await site.install();
    await waitFor('conversions', async () => converts(site));
    const before = (await site.secret())['tls.crt'];
    await renew(site);
    await waitFor('a new certificate', async () => (await site.secret())['tls.crt'] !== before);
    const failedMs = await observed(site);
    if (!(await isInjected(site))) throw new Error('The definition has another authority than the Secret');
    if (failedMs > QUIET_MS) throw new Error(`Conversions failed for ${failedMs} ms`);
    await assertUnprivileged(site);
    return `conversions failed for ${(failedMs / 1000).toFixed(0)} s after a renewal`;
  });
