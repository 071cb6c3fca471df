import { beforeAll, describe, expect, it } from 'vitest';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { applyObjects } from './own-operator.ts';

const [OLD, NEW] = ['v1alpha1', 'v1beta1'];
const merge = { contentType: 'application/merge-patch+json' };

interface Body {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: object;
}

const KEPT = 'cdk8s-reconcile/kept';
const LARGE = 'y'.repeat(270_000);

/** Paths of the Webs of one namespace, by version and name. */
const webs =
  (where: string) =>
  (version: string, name = ''): string =>
    `/apis/demo.example.com/${version}/namespaces/${where}/webs${name === '' ? '' : `/${name}`}`;

const webBody = (version: string, name: string, { spec, kept }: { readonly spec: object; readonly kept?: object }) => ({
  apiVersion: `demo.example.com/${version}`,
  kind: 'Web',
  metadata: { name, ...(kept && { annotations: { [KEPT]: JSON.stringify(kept) } }) },
  spec,
});

interface Refusal {
  readonly message?: string;
}

/** Rights to write webs, but no pods. */
const tenantRights = (where: string): object[] => {
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  const metadata = { name: 'tenant', namespace: where };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tenant' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }];
  const rules = [{ apiGroups: ['demo.example.com'], resources: ['webs'], verbs: ['*'] }];
  return [
    { ...rbac, kind: 'Role', metadata, rules },
    { ...rbac, kind: 'RoleBinding', metadata, roleRef, subjects },
  ];
};

const annotated = (...entries: object[]) => ({
  metadata: { annotations: { [KEPT]: JSON.stringify({ [NEW]: entries }) } },
});

/**
 * Tests that tenants with few rights cannot use conversions to gain more. The plane runs the operator of the kind Web.
 */
export const describeConversionTenants = (planeOf: () => ControlPlane) =>
  describe('a kind that runs pods, with a version that cannot express all of it', () => {
    let plane: ControlPlane;
    let path: ReturnType<typeof webs>;
    const nginx = { containerImage: 'nginx', low: 1 };

    const patched = async (version: string, name: string, patch: object, user?: string) =>
      plane.request<Refusal>('PATCH', path(version, name), patch, { ...merge, ...(user !== undefined && { user }) });
    const specOf = async (version: string, name: string): Promise<object> =>
      (await plane.request<Body>('GET', path(version, name))).body.spec;
    const created = async (version: string, name: string, content: Parameters<typeof webBody>[2]) =>
      plane.request<Refusal>('POST', path(version), webBody(version, name, content));

    beforeAll(async () => {
      plane = planeOf();
      const where = await plane.createNamespace('webs');
      path = webs(where);
      await applyObjects(plane, ...tenantRights(where));
      await waitFor('both versions to be served', async () =>
        (await Promise.all([OLD, NEW].map(async (each) => plane.request('GET', path(each))))).every(
          ({ status: code }) => code === 200,
        ),
      );
      // A new policy takes effect a moment after it is stored.
      await waitFor('the policies to be in force', async () => {
        const probe = webBody(OLD, 'probe', {
          spec: { image: 'a', low: 9 },
          kept: { [NEW]: [{ at: ['spec', 'high'], was: 5 }] },
        });
        const { body } = await plane.request<Refusal>('POST', `${path(OLD)}?dryRun=All`, probe);
        return body.message?.includes('low is at most high') === true;
      });
      await created(NEW, 'shop', { spec: { ...nginx, high: 5 } });
      // Rights and each policy of the pod guard take effect at different moments after they are stored.
      await waitFor('the rights of the tenant and the guard to be in force', async () => {
        const { status: read } = await plane.request('GET', path(NEW), undefined, { user: 'mallory' });
        const options = { ...merge, user: 'mallory' };
        const privileged = annotated({ at: ['spec', 'serviceAccountName'], was: 'privileged' });
        const attempts = [
          { version: OLD, patches: [{ spec: { image: 'evil' } }, privileged] },
          { version: NEW, patches: [{ spec: { containerImage: 'evil' } }, privileged] },
        ];
        const writes = await Promise.all(
          attempts.flatMap(({ version, patches }) =>
            patches.map(async (patch) => plane.request('PATCH', `${path(version, 'shop')}?dryRun=All`, patch, options)),
          ),
        );
        return read === 200 && writes.every(({ status: write }) => write === 403 || write === 422);
      });
    });

    it('rejects changes of kept fields by authors without the right to create pods, and shows the same in both versions', async () => {
      const entries = [
        { at: ['spec', 'containerImage'], seen: 'nginx', was: 'evil' },
        { at: ['spec', 'serviceAccountName'], was: 'privileged' },
      ];
      for (const each of [OLD, NEW]) {
        const { status: code, body } = await patched(each, 'shop', annotated(...entries), 'mallory');
        // The pod guard and the policies of the conversion all refuse this request; the API server returns the answer of any of
        // them.
        expect({ code: [403, 422].includes(code) ? 'refused' : code, message: body.message }).toMatchObject({
          code: 'refused',
        });
      }
      expect(await patched(OLD, 'shop', { spec: { image: 'evil' } }, 'mallory')).toMatchObject({ status: 403 });
      expect(await specOf(NEW, 'shop')).toEqual({ ...nginx, high: 5 });
      expect(await patched(OLD, 'shop', { metadata: { labels: { team: 'a' } } }, 'mallory')).toMatchObject({
        status: 200,
      });
      expect(await specOf(NEW, 'shop')).toEqual({ ...nginx, high: 5 });
    });

    it('refuses changes of kept fields by authors with the right to create pods', async () => {
      const { status: code, body } = await patched(OLD, 'shop', annotated({ at: ['spec', 'high'], was: 7 }));
      expect([code, body.message]).toEqual([403, expect.stringContaining('only the conversion webhook changes it')]);
      const { body: read } = await plane.request<Body>('GET', path(OLD, 'shop'));
      const replaced = { ...read, metadata: { ...read.metadata, annotations: {} } };
      expect(await plane.request('PUT', path(OLD, 'shop'), replaced)).toMatchObject({ status: 403 });
      expect(await plane.request('PUT', path(OLD, 'shop'), read)).toMatchObject({ status: 200 });
      expect(await specOf(NEW, 'shop')).toEqual({ ...nginx, high: 5 });
    });

    it('refuses a creation whose annotation contradicts the version of the request', async () => {
      const kept = { [NEW]: [{ at: ['spec', 'containerImage'], seen: 'nginx', was: 'evil' }] };
      const { status: code, body } = await created(OLD, 'sly', { spec: { image: 'nginx', low: 1 }, kept });
      expect([code, body.message]).toEqual([422, expect.stringContaining('spec.containerImage cannot be kept')]);
    });

    it('holds the rules of the stored version against writes in the other one, and takes those that satisfy them', async () => {
      const { status: code, body } = await patched(OLD, 'shop', { spec: { low: 9 } });
      expect([code, body.message]).toEqual([422, expect.stringContaining('low is at most high')]);
      expect(await patched(OLD, 'shop', { spec: { low: 3 } })).toMatchObject({ status: 200 });
      expect(await specOf(NEW, 'shop')).toEqual({ ...nginx, low: 3, high: 5 });
    });

    it('reads and lists a resource that has too much for annotations, and refuses to write it without that', async () => {
      expect((await created(NEW, 'large', { spec: { ...nginx, note: LARGE } })).status).toBe(201);
      expect(await specOf(OLD, 'large')).toEqual({ image: 'nginx', low: 1 });
      expect(await plane.request('GET', `/apis/demo.example.com/${OLD}/webs`)).toMatchObject({ status: 200 });
      for (const patch of [{ spec: { low: 2 } }, { metadata: { labels: { 'cdk8s-reconcile/incomplete': null } } }])
        expect((await patched(OLD, 'large', patch)).status).toBeGreaterThanOrEqual(400);
      expect(await specOf(NEW, 'large')).toEqual({ ...nginx, note: LARGE });
      expect(await patched(NEW, 'large', { spec: { low: 2 } })).toMatchObject({ status: 200 });
    });

    it('lists resources of all namespaces beside annotations of thousands of entries', async () => {
      const entries = Array.from({ length: 6000 }, (_, index) => ({ at: ['spec', `b${index}`], was: 0 }));
      for (const name of ['x', 'y'])
        expect((await created(NEW, name, { spec: nginx, kept: { [OLD]: entries } })).status).toBe(201);
      expect(await plane.request('GET', `/apis/demo.example.com/${OLD}/webs`)).toMatchObject({ status: 200 });
      expect(await specOf(OLD, 'shop')).toEqual({ image: 'nginx', low: 3 });
    });
  });
