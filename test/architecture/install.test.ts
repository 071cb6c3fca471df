import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Testing, Yaml } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { grantedBy, type RightsManifest } from '#test/contract/rights/rights.ts';
import { chart } from '#test/examples/patched-operator.ts';
import { repository } from './repository.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const page = read('docs/install.md');

const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The rights in a row of the table, in the form of `grantedBy`. */
const rightsIn = (row: string): string[] => {
  const [, resources = '', verbs = ''] = row.split('|');
  const isNamed = resources.includes(' named ');
  const named = codeIn(resources);
  const [, name, namespace] = isNamed ? named : ['', '*', '*'];
  return codeIn(verbs).flatMap((verb) =>
    (isNamed ? named.slice(0, 1) : named).map(
      (resource) => `${verb} ${resource.includes('.') ? resource : `${resource}.`} ${name} in ${namespace}`,
    ),
  );
};

interface Workload {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly nodeSelector: object;
  readonly imagePullSecrets: readonly object[];
  readonly containers: readonly { readonly env: readonly object[] }[];
}

describe('docs/install.md', () => {
  it('explains every right of the committed bundle, and no others', () => {
    const [, chapter = ''] = page.split('These are the rights of the committed bundle:');
    const rows = (chapter.split('Options of `Operator`')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
    const bundle = Yaml.load(join(repository, 'synth-out/operator.k8s.yaml')) as RightsManifest[];
    expect(rows.flatMap(rightsIn).toSorted()).toEqual(grantedBy(bundle));
  });

  it('shows an example that does what it says', () => {
    const [, code] = /```ts\n([^]*?)```/.exec(page) ?? [];
    expect(code).toBe(read('test/examples/patched-operator.ts'));
    const deployment = (Testing.synth(chart) as Workload[]).find(({ kind }) => kind === 'Deployment');
    expect(deployment?.spec.template.spec).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      imagePullSecrets: [{ name: 'registry' }],
    });
    const env = deployment?.spec.template.spec.containers[0]?.env;
    expect(env).toContainEqual({ name: 'LEASE_DURATION_SECONDS', value: '30' });
  });

  it('names the image that the committed bundle names', () => {
    const [, image] = /^ {10}image: (.*)$/m.exec(read('synth-out/operator.k8s.yaml')) ?? [];
    expect(page).toContain(`s#${image}#`);
  });
});
