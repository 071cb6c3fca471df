import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { CustomResource } from '#constructs/custom-resource.ts';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { InvalidDefinitionError, InvalidOperatorError, InvalidResourceError, type Issue } from '#lib/errors.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { repository } from '#test/architecture/repository.ts';
import { BAD_OPERATORS, desired, note } from './operators.ts';

const operatorWith = (props: Partial<OperatorProps>, chart: Chart = new Chart(new App(), 'chart')): Operator =>
  new Operator(chart, 'operator', { kinds: [note], image: 'registry.example.com/op:1', ...props });

const issuesOf = (act: () => unknown): readonly Issue[] => {
  try {
    act();
    return [];
  } catch (error) {
    const isKnown = error instanceof InvalidOperatorError || error instanceof InvalidDefinitionError;
    if (isKnown || error instanceof InvalidResourceError) return error.issues;
    throw error;
  }
};

describe('an operator that cannot be, judged at synth', () => {
  it.each(BAD_OPERATORS)('Operator is refused when $reason, with $rule and the way out', ({ props, rule, path }) => {
    const issues = issuesOf(() => operatorWith(props));
    const fix = expect.stringMatching(/./) as unknown;
    expect(issues).toContainEqual(expect.objectContaining({ rule, path, fix }));
  });

  it('reports every problem at once, each with path, code and remedy', () => {
    const kinds = BAD_OPERATORS.flatMap(({ props }, at) =>
      (props.kinds ?? []).map((kind) => ({ ...kind, group: kind.group.replace('demo', `g${at}`) })),
    );
    const props = Object.assign({}, ...BAD_OPERATORS.map((row) => row.props)) as Partial<OperatorProps>;
    const { released: _, ...rest } = props;
    const issues = issuesOf(() =>
      operatorWith({
        ...rest,
        kinds,
        image: '',
        name: 'My Operator',
        effects: { allowedHosts: ['https://a.b'], prometheusUrl: 'nowhere', certificateAuthority: {} },
      }),
    );
    // A name has one of the two faults.
    const others = new Set(['kinds', 'released-source', 'name']);
    const rules = new Set(BAD_OPERATORS.map(({ rule }) => rule).filter((rule) => !others.has(rule)));
    expect(new Set(issues.map(({ rule }) => rule))).toEqual(rules);
    expect(issues.filter(({ path, message, fix }) => !path || !message || !fix)).toEqual([]);
  });

  it('nothing is added to the chart when an operator is refused', () => {
    const chart = new Chart(new App(), 'chart');
    expect(issuesOf(() => operatorWith({ image: '' }, chart))).toHaveLength(1);
    expect(chart.apiObjects).toEqual([]);
  });
});

describe('resources that cannot be, judged at synth', () => {
  it('a resource is refused when its kind makes children that it does not own', () => {
    const spec = s.object({ name: s.string({ maxLength: 9 }) });
    class Strange extends CustomResource(defineKind({ ...note, spec, owns: [ConfigMap], desired })) {}
    const resource = new Strange(new Chart(new App(), 'chart'), 'a', { spec: { name: 'a' } });
    expect(issuesOf(() => resource.toJson())).toMatchObject([
      { rule: 'owned-kind', path: 'owns', value: 'v1 Pod', fix: expect.any(String) as string },
    ]);
  });

  it('a cluster-scoped resource has no namespace, whatever its chart has, and is refused with one of its own', () => {
    class Wide extends CustomResource(defineKind({ ...note, spec: s.object({}), scope: 'Cluster' })) {}
    const chart = new Chart(new App(), 'chart', { namespace: 'team-a' });
    expect(new Wide(chart, 'a', { spec: {} }).toJson()).not.toHaveProperty('metadata.namespace');
    const misplaced = { metadata: { namespace: 'team-a' }, spec: {} };
    expect(issuesOf(() => new Wide(chart, 'b', misplaced))).toMatchObject([
      { rule: 'namespace', path: 'metadata.namespace', value: 'team-a', fix: expect.any(String) as string },
    ]);
  });
});

describe('npm run synth', () => {
  it('leaves synth-out as it was when synthesis fails', () => {
    const folder = mkdtempSync(join(tmpdir(), 'synth-'));
    try {
      mkdirSync(join(folder, 'synth-out'));
      writeFileSync(join(folder, 'synth-out/operator.k8s.yaml'), 'kind: Old\n');
      writeFileSync(join(folder, 'cdk8s.yaml'), 'language: typescript\napp: node app.cjs\noutput: synth-out\n');
      writeFileSync(join(folder, 'app.cjs'), "throw new Error('refused');\n");
      const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      };
      const PATH = `${join(repository, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
      const options = { cwd: folder, env: { ...process.env, PATH }, stdio: 'pipe' } as const;
      expect(() => execFileSync('sh', ['-c', scripts['synth'] ?? ''], options)).toThrow('refused');
      expect(readdirSync(join(folder, 'synth-out'))).toEqual(['operator.k8s.yaml']);
      expect(readFileSync(join(folder, 'synth-out/operator.k8s.yaml'), 'utf8')).toBe('kind: Old\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
