import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { chosenKubeModule, goModuleVersion, kubeModules, VERSION_VARIABLE } from '#test/control-plane/recipe.ts';
import type { VitestReport } from '#test/run-vitest.ts';
import { goModOf } from '#test/versions/kube-module.ts';
import { nodeLines } from '#test/versions/node.ts';
import { pageOf, readPage } from '#test/versions/page.ts';
import { failuresOf, readResults, withResult } from '#test/versions/results.ts';
import { suiteResults } from '#test/versions/run.ts';
import { kubernetesSuites, nodeSuites } from '#test/versions/suites.ts';
import { targetsOf } from '#test/versions/target.ts';

const test = (status: string, fullName: string) => ({ status, fullName });

const result = (date: string) => ({ version: 'v1', date, suites: {} });

const files = (suites: typeof nodeSuites): readonly string[] => suites.map(({ file }) => file);

const linesOf = (choice: Parameters<typeof targetsOf>[0]): readonly string[] =>
  targetsOf(choice).map(({ subject, line }) => `${subject} ${line}`);

const all = { kubernetes: [...kubeModules().keys()], node: nodeLines() };

describe('kubeModules()', () => {
  it('has the version of development and others, the oldest first', () => {
    const minors = [...kubeModules().keys()];
    expect(minors.length).toBeGreaterThanOrEqual(4);
    expect(minors).toEqual(minors.toSorted((a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1])));
    expect([...kubeModules().values()]).toContain('kube');
  });
});

describe('chosenKubeModule()', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is the version of development, unless the variable names another one', () => {
    vi.stubEnv(VERSION_VARIABLE, '');
    expect(chosenKubeModule()).toBe('kube');
    vi.stubEnv(VERSION_VARIABLE, '1.30');
    expect(chosenKubeModule()).toBe('kube-1.30');
  });

  it('refuses a version without a module, and names those that have one', () => {
    vi.stubEnv(VERSION_VARIABLE, '1.2');
    expect(chosenKubeModule).toThrowError(
      /^Cannot run Kubernetes "1\.2" \(CONTROL_PLANE_VERSION\): expected one of 1\.30, /,
    );
  });
});

describe('targetsOf()', () => {
  it('has every version when none is chosen', () => {
    expect(linesOf({})).toEqual([
      ...all.kubernetes.map((line) => `kubernetes ${line}`),
      ...all.node.map((line) => `node ${line}`),
    ]);
  });

  it('has the chosen versions alone', () => {
    expect(linesOf({ kubernetes: ['1.37', '1.30'] })).toEqual(['kubernetes 1.37', 'kubernetes 1.30']);
    expect(linesOf({ node: ['26'] })).toEqual(['node 26']);
  });

  it.each([{ kubernetes: ['1.99'] }, { node: ['8'] }])('refuses an unknown version in one line: %j', (choice) => {
    expect(() => targetsOf(choice)).toThrowError(/^Cannot test .* "[\d.]+": expected one of .*README\.md .*$/);
  });
});

const upstream = (godebug: string): string => `module k8s.io/kubernetes
go 1.22.0
${godebug}
replace k8s.io/kms => ./staging/src/k8s.io/kms
replace (
	k8s.io/api => ./staging/src/k8s.io/api
	example.com/other => example.com/fork v1.0.0
)
`;

describe('goModOf()', () => {
  it('requires the version, and names the published modules of its folders', () => {
    const text = goModOf({ kubeModule: 'kube-1.30', version: '1.30.14', upstream: upstream('') });
    expect(text).toContain('\nrequire k8s.io/kubernetes v1.30.14\n');
    expect(text).toContain('replace (\n\tk8s.io/api => k8s.io/api v0.30.14\n\tk8s.io/kms => k8s.io/kms v0.30.14\n)\n');
    expect(text).not.toContain('example.com');
    expect(text).toContain('\tk8s.io/kubernetes/cmd/kube-apiserver\n');
  });

  it('keeps the behaviour of Go that the version was released with', () => {
    const pin = { kubeModule: 'kube-1.30', version: '1.30.14' } as const;
    expect(goModOf({ ...pin, upstream: upstream('') })).toContain('\ngodebug default=go1.22\n');
    expect(goModOf({ ...pin, upstream: upstream('godebug default=go1.24') })).toContain('\ngodebug default=go1.24\n');
  });
});

describe('suiteResults()', () => {
  const suites = [
    { shows: 'a', file: 'test/a.test.ts' },
    { shows: 'b', file: 'test/b.test.ts' },
    { shows: 'c', file: 'test/c.test.ts' },
  ];
  const report: VitestReport = {
    testResults: [
      {
        name: '/somewhere/test/a.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [test('passed', 'a 1'), test('failed', 'a 2'), test('skipped', 'a 3')],
      },
      {
        name: '/somewhere/test/b.test.ts',
        status: 'failed',
        message: 'no cluster\nat line 1',
        assertionResults: [test('skipped', 'b 1')],
      },
    ],
  };

  it('counts tests, and a file whose hook failed or that did not run as failed', () => {
    expect(suiteResults(report, suites)).toEqual({
      'test/a.test.ts': { passed: 1, skipped: 1, failed: ['a 2'] },
      'test/b.test.ts': { passed: 0, skipped: 1, failed: ['the file: no cluster'] },
      'test/c.test.ts': { passed: 0, skipped: 0, failed: ['the file: not run'] },
    });
  });
});

describe('withResult()', () => {
  it('replaces one version, and leaves the others with their dates', () => {
    const before = { kubernetes: { '1.30': result('a'), '1.33': result('a') }, node: {} };
    const after = withResult(before, { subject: 'kubernetes', line: '1.33' }, result('b'));
    expect(after).toEqual({ kubernetes: { '1.30': result('a'), '1.33': result('b') }, node: {} });
  });
});

describe('.github/workflows/versions.yml', () => {
  it('runs each version', () => {
    const text = readFileSync(new URL('../../../.github/workflows/versions.yml', import.meta.url), 'utf8');
    const { jobs } = parse(text) as { jobs: { kubernetes: { strategy: { matrix: { version: readonly string[] } } } } };
    expect(jobs.kubernetes.strategy.matrix.version).toEqual(all.kubernetes);
    expect(text).toContain(all.node.map((line) => ` --node ${line}`).join(''));
  });
});

describe('docs/compatibility.md', () => {
  it('is the committed results', () => {
    expect(readPage()).toBe(pageOf(readResults()));
  });

  it('has versions that are pinned, with all suites and without failures', () => {
    const { kubernetes, node } = readResults();
    const pinned = new Map([...kubeModules()].map(([line, name]) => [line, goModuleVersion(name)]));
    for (const [line, { version }] of Object.entries(kubernetes)) expect(version).toBe(pinned.get(line));
    expect(nodeLines()).toEqual(expect.arrayContaining(Object.keys(node)));
    for (const { suites } of Object.values(kubernetes)) expect(Object.keys(suites)).toEqual(files(kubernetesSuites));
    for (const { suites } of Object.values(node)) expect(Object.keys(suites)).toEqual(files(nodeSuites));
    expect([...Object.values(kubernetes), ...Object.values(node)].flatMap(failuresOf)).toEqual([]);
  });
});
