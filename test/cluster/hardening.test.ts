import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart, Testing, Yaml } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { Operator } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { classicPod } from '#constructs/pod-set/template.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { apiVersionOf, namesOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { repository } from '#test/architecture/repository.ts';
import { committedSamples, lintBundle, lintWithCheckov } from '#test/bundle-lint/lint.ts';
import { describeKubectlApply } from '#test/contract/kubectl-apply.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { committedBundle, installBundle, OPERATOR, startInstalledOperator } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { objectsThatSay } from './left-behind.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
});

afterAll(async () => plane?.stop());

describeKubectlApply('a real API server', (args, options) => plane.kubectl(args, options));

interface Template {
  readonly metadata: object;
  readonly spec: { readonly securityContext: object };
}

interface Answer {
  readonly message?: string;
}

/** The template as the API server stored it. */
const operatorTemplate = async (): Promise<Template> => {
  const path = `/apis/apps/v1/namespaces/${OPERATOR}/deployments/${OPERATOR}`;
  return (await plane.request<{ spec: { template: Template } }>('GET', path)).body.spec.template;
};

const dryRunPod = async (namespace: string, pod: object) =>
  plane.request<Answer>('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);

describe('the install bundle', () => {
  it('is valid for the API server, field by field', async () => {
    const args = ['apply', '--dry-run=server', '--validate=strict', '-f', committedBundle];
    const { code, stderr } = await plane.kubectl(args);
    expect(`${code} ${stderr}`).toBe('0 ');
  });

  it('has nothing that kube-score dislikes, and kubeconform by the schemas of the server; exceptions have a reason', async () => {
    const { faults, valid, all } = await lintBundle(plane);
    expect(faults).toEqual([]);
    expect(valid).toBe(all);
  });

  it('report violations: the check can fail', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weak-'));
    try {
      const weak = join(folder, 'bundle.yaml');
      const text = await readFile(committedBundle, 'utf8');
      const slips = text.replace('readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false');
      await writeFile(weak, slips.replace('enableServiceLinks:', 'enableServiceLink:'));
      const { faults, valid, all } = await lintBundle(plane, weak);
      expect(valid).toBe(all - 1);
      expect(faults.join('\n')).toMatch(/kubeconform statusInvalid at Deployment\/.*enableServiceLink/);
      expect(faults.join('\n')).toContain('kube-score container-security-context-readonlyrootfilesystem');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.runIf(process.env['SOAK'] !== undefined)('has nothing that checkov dislikes', async () => {
    expect(await lintWithCheckov()).toEqual([]);
  });

  it('makes a namespace that enforces the Pod Security level restricted', async () => {
    type Namespace = { metadata: { labels: Record<string, string> } };
    const { body } = await plane.request<Namespace>('GET', `/api/v1/namespaces/${OPERATOR}`);
    expect(body.metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  it('has a pod template that the restricted namespace accepts', async () => {
    const { metadata, spec } = await operatorTemplate();
    const { status, body } = await dryRunPod(OPERATOR, { metadata: { ...metadata, name: 'probe' }, spec });
    expect(`${status} ${body.message ?? ''}`).toBe('201 ');
  });

  it('would be refused there with one setting less: the check can fail', async () => {
    const { metadata, spec } = await operatorTemplate();
    const weak = { ...spec, securityContext: { runAsNonRoot: true } };
    const { status, body } = await dryRunPod(OPERATOR, { metadata: { ...metadata, name: 'probe' }, spec: weak });
    expect(status).toBe(403);
    expect(body.message).toContain('seccompProfile');
  });

  it('gives the token to no pod that merely names the ServiceAccount', async () => {
    type Account = { automountServiceAccountToken: boolean };
    const path = `/api/v1/namespaces/${OPERATOR}/serviceaccounts/${OPERATOR}`;
    expect((await plane.request<Account>('GET', path)).body.automountServiceAccountToken).toBe(false);
  });
});

describe('classicPod()', () => {
  it('is accepted by a namespace that enforces restricted', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const namespace = await plane.createNamespace('restricted', labels);
    const { status, body } = await dryRunPod(namespace, classicPod('web-bcdfg', { app: 'web' }));
    expect(`${status} ${body.message ?? ''}`).toBe('201 ');
  });
});

/** Users of a namespace, and their rights. `creator` may create pods, and not delete them; `keeper` may do both. */
const people = (where: string): object[] => {
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  const bind = (user: string, kind: string, name: string) => ({
    ...rbac,
    kind: 'RoleBinding',
    metadata: { name: user, namespace: where },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  const rules = [{ apiGroups: ['app.example.com'], resources: ['podsets'], verbs: ['create', 'get', 'patch'] }];
  const creating = [...rules, { apiGroups: [''], resources: ['pods'], verbs: ['create'] }];
  const keeping = [
    { apiGroups: ['demo.example.com'], resources: ['shops'], verbs: ['create'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['create', 'delete'] },
  ];
  return [
    { ...rbac, kind: 'Role', metadata: { name: 'keeper', namespace: where }, rules: keeping },
    bind('keeper', 'Role', 'keeper'),
    { ...rbac, kind: 'Role', metadata: { name: 'writer', namespace: where }, rules },
    { ...rbac, kind: 'Role', metadata: { name: 'creator', namespace: where }, rules: creating },
    bind('creator', 'Role', 'creator'),
    bind('writer', 'Role', 'writer'),
    bind('developer', 'ClusterRole', 'edit'),
    bind('auditor', 'ClusterRole', 'view'),
  ];
};

let namespace: string;
let guarded: string;

const as = async (user: string, args: readonly string[], input?: object) =>
  plane.kubectl([`--as=${user}`, `--namespace=${namespace}`, ...args], {
    ...(input && { input: Yaml.stringify(input) }),
  });

const podSetBody = (name: string) => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name },
  spec: { replicas: 1 },
});

const tryToCreate = (user = 'writer') => as(user, ['create', '--dry-run=server', '-f', '-'], podSetBody('sly'));

/** A kind with pods in two places. */
const shop = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Shop',
  description: 'Shop has pods in its namespace and in another one.',
  spec: s.object({ open: s.boolean({ description: 'Whether the pods exist.' }) }, { description: 'The wanted state.' }),
  status: s.object({}, { description: 'The observed state.' }),
  owns: [Pod, elsewhere(Pod, { namespaces: ['default'] })],
  desired: () => ({ children: [], status: {}, state: ready('Open', '') }),
});

const shopBody = {
  apiVersion: apiVersionOf(shop),
  kind: shop.kind,
  metadata: { name: 'corner' },
  spec: { open: true },
};

describe('an Operator with all that can be asked for', () => {
  it('is valid for the API server, field by field', async () => {
    namespace = await plane.createNamespace('people');
    const chart = new Chart(new App(), 'chart');
    const monitoring = { dashboard: true };
    const extras = { podGuard: true, userRoles: true, argoCd: true, monitoring };
    const effects = { allowedHosts: ['prometheus.monitoring:9090', '192.0.2.7:8443'] };
    new Operator(chart, 'operator', { kinds: [podSet, shop], image: 'a:1', name: 'guarded', effects, ...extras });
    guarded = Yaml.stringify(...(Testing.synth(chart) as object[]));
    const input = `${guarded}---\n${Yaml.stringify(...people(namespace))}`;
    const args = ['apply', '--validate=strict', '--server-side', '--force-conflicts', '-f', '-'];
    const { code, stderr } = await plane.kubectl(args, { input });
    expect(`${code} ${stderr}`).toBe('0 ');
  });

  it.each(['writer', 'creator'])(
    'refuses a resource that runs pods when its author, %s, may not create and delete pods',
    async (user) => {
      // A new policy takes effect a moment after it is stored.
      const refusal = `a PodSet runs pods: ${user} needs the rights to create and delete pods in its namespace`;
      await waitFor(refusal, async () => (await tryToCreate(user)).stderr.includes(refusal));
      expect(await tryToCreate(user)).toMatchObject({ code: 1 });
    },
  );

  it('lets users with the right to create pods write the resource, and other users only change its labels', async () => {
    await waitFor('the role edit to have been given the kind', async () => {
      return (await as('developer', ['auth', 'can-i', 'create', 'podsets'])).code === 0;
    });
    expect(await as('developer', ['create', '-f', '-'], podSetBody('web'))).toMatchObject({ code: 0 });
    expect(await as('writer', ['label', 'podset/web', 'team=a'])).toMatchObject({ code: 0 });
    const scale = ['patch', 'podset/web', '--type=merge', '--patch={"spec":{"replicas":5}}'];
    expect((await as('writer', scale)).stderr).toContain('needs the rights to create and delete pods');
    expect(await as('developer', scale)).toMatchObject({ code: 0 });
  });

  it('requires the rights on pods in each place of the pods of a kind, and accepts a user with these rights', async () => {
    const words = ['create', '--dry-run=server', '-f', '-'];
    const refusal = 'keeper needs the rights to create and delete pods in default';
    await waitFor(refusal, async () => (await as('keeper', words, shopBody)).stderr.includes(refusal));
    // The role edit has no rights on pods in other namespaces, so it does not contain this kind.
    expect((await as('developer', ['auth', 'can-i', 'create', 'shops'])).stdout).toBe('no\n');
    const input = Yaml.stringify(shopBody);
    expect(await plane.kubectl([`--namespace=${namespace}`, ...words], { input })).toMatchObject({ code: 0 });
  });

  it('lets viewers of a namespace read the kind, and not write it', async () => {
    await waitFor('the role view to have been given the kind', async () => {
      return (await as('auditor', ['get', 'podsets'])).code === 0;
    });
    expect((await as('auditor', ['delete', 'podset/web'])).stderr).toContain('Forbidden');
    expect((await as('developer', ['auth', 'can-i', 'patch', 'podsets', '--subresource=status'])).stdout).toBe('no\n');
  });
});

/** The commands of the documentation, from their first word. */
const uninstallCommands = async (): Promise<string[][]> => {
  const page = await readFile(join(repository, 'docs/install.md'), 'utf8');
  const [, chapter = ''] = page.split('## Uninstall');
  const lines = /```sh\n([^`]*)```/.exec(chapter)?.[1]?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('kubectl ')).map((line) => line.split(' ').slice(1));
};

interface Reported {
  readonly items: readonly { readonly status?: { readonly observedGeneration?: number } }[];
}

describe('an operator that is uninstalled as documented', () => {
  it('leaves nothing behind but events', async () => {
    const ours = /cdk8s-reconcile|guarded|example-|\.example\.com|flugel\.it/;
    const operator = await startInstalledOperator(plane);
    const where = 'default';
    expect(await plane.kubectl(['apply', '-f', committedSamples])).toMatchObject({ code: 0 });
    const made = ['/pods ', '/deployments ', '/controllerrevisions ', '/apiservices ', '/clusterroles '];
    await waitFor('objects of every sort', async () => {
      const before = await objectsThatSay(plane, ours);
      return made.every((resource) => before.some((line) => line.includes(resource)));
    });
    const paths = kinds.map((kind) => `/apis/${apiVersionOf(kind)}/namespaces/${where}/${namesOf(kind).plural}`);
    await waitFor('every resource to be reported on', async () => {
      const lists = await Promise.all(paths.map(async (path) => (await plane.request<Reported>('GET', path)).body));
      return lists.every(({ items }) => items.length === 1 && (items[0]?.status?.observedGeneration ?? 0) > 0);
    });
    const [resources = [], ...waits] = await uninstallCommands();
    const bundle = waits.pop() ?? [];
    expect(await plane.kubectl(resources)).toMatchObject({ code: 0 });
    expect(waits).toHaveLength(kinds.length);
    for (const args of waits) {
      const { code, stderr } = await plane.kubectl(args);
      expect(code === 0 || stderr).toSatisfy((said) => said === true || `${said}`.includes('no matching resources'));
    }
    // The process replaces the pods of the Deployment.
    await operator.stop();
    expect(await plane.kubectl([...bundle.slice(0, -1), committedBundle])).toMatchObject({ code: 0 });
    const rest = ['delete', '--ignore-not-found', '-f', '-'];
    expect(await plane.kubectl(rest, { input: guarded })).toMatchObject({ code: 0 });
    let left: readonly string[] = ['not read yet'];
    const isGone = async (): Promise<boolean> => {
      left = (await objectsThatSay(plane, ours)).filter((line) => !/\/events /.test(line));
      return left.length === 0;
    };
    await waitFor('the garbage to be collected', isGone, { pollMs: 1000 }).catch(() => undefined);
    expect(left).toEqual([]);
  });
});
