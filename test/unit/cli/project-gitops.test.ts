import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { validateRules } from '#lib/cel/validate-rules.ts';
import { addKind } from '#lib/cli/verbs/add/run.ts';
import { initProject } from '#lib/cli/verbs/init/run.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'gitops-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

interface Document {
  readonly kind: string;
  readonly metadata: object;
  readonly spec: Readonly<Record<string, unknown>>;
}

const documentsOf = async (path: string): Promise<readonly Document[]> =>
  parseAllDocuments(await readFile(path, 'utf8')).map((each) => each.toJS() as Document);

type Condition = readonly [type: string, status: string, reason?: string];

/** Whether an expression of Flux over `status` is true for a resource with these conditions. */
const holds = (expression: string, conditions: readonly Condition[]): boolean => {
  const rule = expression.replaceAll('status.conditions', 'self.status.conditions');
  const text = { type: 'string' };
  const items = { type: 'object', properties: { type: text, status: text, reason: text } };
  const status = { type: 'object', properties: { conditions: { type: 'array', items } } };
  const schema = { type: 'object', properties: { status }, 'x-kubernetes-validations': [{ rule }] };
  const all = conditions.map(([type, value, reason = 'Because']) => ({ type, status: value, reason }));
  const errors = validateRules(schema, { status: { conditions: all } }, { isRoot: true });
  return errors !== 'skipped' && errors.length === 0;
};

/** A prop for the second release: the first one has nothing to compare with, and Synth would refuse a commit that is missing. */
const RELEASED = /^ {2}\/\/ After the first release [^\n]*\n {2}\/\/ released: \{ from: 'git:main:synth-out' \},\n/m;

describe('initProject() with --gitops', () => {
  it('writes what Flux needs: the operator first, the resources after it, and health checks that recognize resources that wait for a person', async () => {
    const { folder, files } = await initProject({
      folder: join(scratch, 'flux'),
      kind: 'Web',
      group: 'a.acme.io',
      gitops: 'flux',
    });
    expect(files.filter((file) => file.startsWith('gitops/'))).toEqual([
      'gitops/README.md',
      'gitops/flux.yaml',
      'gitops/operator/kustomization.yaml',
      'gitops/resources/kustomization.yaml',
    ]);
    const [source, operator, resources] = await documentsOf(join(folder, 'gitops/flux.yaml'));
    expect(source).toMatchObject({ kind: 'GitRepository', metadata: { name: 'flux' } });
    expect(operator).toMatchObject({ metadata: { name: 'flux-operator' }, spec: { wait: true, prune: true } });
    expect(resources?.spec).toMatchObject({
      dependsOn: [{ name: 'flux-operator' }],
      wait: true,
      deletionPolicy: 'WaitForTermination',
      healthCheckExprs: [{ apiVersion: 'a.acme.io/v1alpha1', kind: 'Web' }],
    });
    // The paths lead to the folders that synth writes.
    for (const { spec } of [operator, resources].flatMap((each) => each ?? []))
      expect(files).toContain(join(String(spec['path']), 'kustomization.yaml'));
    const main = await readFile(join(folder, 'main.ts'), 'utf8');
    expect(main).not.toContain('argoCd');
    expect(main).toMatch(RELEASED);
    expect(main).toMatch(/for \(const warning of operator\.warnings\) console\.error\(/);
    const [{ failed, current } = {}] = (resources?.spec['healthCheckExprs'] ?? []) as Record<string, string>[];
    const shown = (...conditions: readonly Condition[]) =>
      ['failed', 'current'].filter((_, index) => holds([failed, current][index] ?? '', conditions));
    expect(shown(['Ready', 'Unknown'])).toEqual([]);
    expect(shown(['Ready', 'False'], ['Reconciling', 'True'])).toEqual([]);
    expect(shown(['Ready', 'True'], ['Paused', 'False'])).toEqual(['current']);
    expect(shown(['Ready', 'False'], ['Paused', 'True'], ['Reconciling', 'True'])).toEqual(['current']);
    expect(shown(['Ready', 'False'], ['Paused', 'True', 'AvailabilityLost'], ['Reconciling', 'True'])).toEqual([]);
    expect(shown(['Ready', 'False'], ['Stalled', 'True'])).toEqual(['failed']);
    const page = await readFile('docs/gitops.md', 'utf8');
    for (const expression of [failed, current]) expect(page).toContain(expression);
    expect(shown()).toEqual([]);
  });

  it('has a health check for every kind that addKind() adds, and leaves a list that people took out alone', async () => {
    const { folder } = await initProject({
      folder: join(scratch, 'more'),
      kind: 'Web',
      group: 'a.acme.io',
      gitops: 'flux',
    });
    const path = join(folder, 'gitops/flux.yaml');
    const { files } = await addKind({ folder, kind: 'CronTask', group: 'b.acme.io' });
    expect(files).toContain('gitops/flux.yaml');
    const [, , resources] = await documentsOf(path);
    const checks = resources?.spec['healthCheckExprs'] as Record<string, string>[];
    expect(checks.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'b.acme.io/v1alpha1 CronTask',
      'a.acme.io/v1alpha1 Web',
    ]);
    const [{ failed, current } = {}, first] = checks;
    expect({ failed, current }).toEqual({ failed: first?.['failed'], current: first?.['current'] });
    const without = (await readFile(path, 'utf8')).replace(/ {2}# One entry for each kind[^]*$/, '');
    await writeFile(path, without);
    expect((await addKind({ folder, kind: 'Third' })).files).not.toContain('gitops/flux.yaml');
    expect(await readFile(path, 'utf8')).toBe(without);
  });

  it('writes what Argo CD needs: one Application, and an operator with sync waves and health scripts', async () => {
    const { folder, files } = await initProject({
      folder: join(scratch, 'argo'),
      kind: 'Web',
      group: 'a.acme.io',
      gitops: 'argocd',
    });
    expect(files.filter((file) => file.startsWith('gitops/'))).toEqual(['gitops/README.md', 'gitops/argocd.yaml']);
    const [application] = await documentsOf(join(folder, 'gitops/argocd.yaml'));
    expect(application).toMatchObject({
      kind: 'Application',
      metadata: { name: 'argo', finalizers: ['resources-finalizer.argocd.argoproj.io'] },
      spec: { source: { path: 'synth-out' }, syncPolicy: { syncOptions: ['ServerSideApply=true'] } },
    });
    // The README begins with the health scripts, which are generated from the output of synth: without them every resource is
    // Healthy from the first sync on.
    const readme = await readFile(join(folder, 'gitops/README.md'), 'utf8');
    const [scripts, sync] = ['--filename synth-out/operator.k8s.yaml', 'kubectl apply -f gitops/argocd.yaml'];
    expect(readme.indexOf(scripts)).toBeGreaterThan(0);
    expect(readme.indexOf(sync)).toBeGreaterThan(readme.indexOf(scripts));
    const main = await readFile(join(folder, 'main.ts'), 'utf8');
    expect(main).toMatch(/name: 'argo',\n {2}\/\/ [^\n]*\n {2}argoCd: true,\n/);
    expect(main).toMatch(RELEASED);
  });
});
