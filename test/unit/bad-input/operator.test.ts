import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { CustomResource } from '#constructs/custom-resource.ts';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/intent.ts';
import { ready } from '#lib/desired/state.ts';
import { InvalidDefinitionError, InvalidOperatorError, InvalidResourceError, type Issue } from '#lib/errors.ts';
import { ConfigMap, Node, Pod } from '#lib/kind/reference.ts';
import { s } from '#lib/kind/schema.ts';
import { repository } from '#test/architecture/repository.ts';

const kindWith = (definition: Partial<AnyKindDefinition>): AnyKindDefinition => ({
  ...defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Note',
    spec: s.object({}),
    status: s.object({}),
    owns: [],
    desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
  }),
  ...definition,
});

const note = kindWith({});
const withField = (schema: Readonly<Record<string, unknown>>): AnyKindDefinition =>
  kindWith({ spec: s.object({ a: s.optional(s.unsafe(schema)) }) });
const count = { type: 'integer', minimum: 0, maximum: 9 };
const desired = (): ReturnType<AnyKindDefinition['desired']> => ({
  children: [apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [] } })],
  status: {},
  state: ready('Done', ''),
});

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

interface BadOperator {
  readonly reason: string;
  readonly props: Partial<OperatorProps>;
  readonly rule: string;
  readonly path: string;
}

/** What a platform engineer gets wrong, and what says so. */
const BAD_OPERATORS: readonly BadOperator[] = [
  {
    reason: 'two kinds have one name',
    props: { kinds: [note, kindWith({ plural: 'memos' })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  {
    reason: 'two kinds have one plural',
    props: { kinds: [note, kindWith({ kind: 'Memo', plural: 'notes' })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  {
    reason: 'the plural of one kind is the singular of another',
    props: { kinds: [note, kindWith({ kind: 'Memo', plural: 'note' })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  {
    reason: 'two kinds have one short name',
    props: { kinds: [kindWith({ shortNames: ['nt'] }), kindWith({ kind: 'Memo', shortNames: ['nt'] })] },
    rule: 'name-collision',
    path: 'kinds',
  },
  { reason: 'a kind is listed twice', props: { kinds: [note, note] }, rule: 'kind-twice', path: 'kinds' },
  {
    reason: 'a child is of a kind that is not owned',
    props: { kinds: [kindWith({ owns: [ConfigMap], desired })] },
    rule: 'owned-kind',
    path: 'Note owns',
  },
  {
    reason: 'a namespaced kind owns a cluster-scoped one',
    props: { kinds: [kindWith({ owns: [Node] })] },
    rule: 'cluster-child',
    path: 'Note owns',
  },
  {
    reason: 'a kind is owned twice',
    props: { kinds: [kindWith({ owns: [Pod, Pod] })] },
    rule: 'kind-named-twice',
    path: 'Note owns',
  },
  {
    reason: 'a default is out of its bounds',
    props: { kinds: [withField({ ...count, default: 10 })] },
    rule: 'default-fits',
    path: 'Note spec.a',
  },
  {
    reason: 'a default breaks its own rule',
    props: { kinds: [withField({ ...count, default: 3, 'x-kubernetes-validations': [{ rule: 'self % 2 == 0' }] })] },
    rule: 'default-rule',
    path: 'Note spec.a',
  },
  {
    reason: 'a rule names no field',
    props: { kinds: [kindWith({ spec: s.object({}, { validations: [{ rule: 'self.size > 1' }] }) })] },
    rule: 'cel-compile',
    path: 'Note spec',
  },
  {
    reason: 'a rule is no condition',
    props: { kinds: [withField({ ...count, 'x-kubernetes-validations': [{ rule: 'self + 1' }] })] },
    rule: 'cel-compile',
    path: 'Note spec.a',
  },
  {
    reason: 'the message of a rule does not compile',
    props: {
      kinds: [withField({ ...count, 'x-kubernetes-validations': [{ rule: 'self > 0', messageExpression: 'self' }] })],
    },
    rule: 'cel-compile',
    path: 'Note spec.a',
  },
  {
    reason: 'a field has no bounds',
    props: { kinds: [withField({ type: 'string' })] },
    rule: 'bound-length',
    path: 'Note spec.a',
  },
  {
    reason: 'a convention is broken without a reason',
    props: { kinds: [withField({ type: 'number', minimum: 0, maximum: 1 })] },
    rule: 'no-float',
    path: 'Note spec.a',
  },
  {
    reason: 'an exception is not needed',
    props: { kinds: [kindWith({ lintExceptions: [{ rule: 'no-float', path: 'spec.a', reason: 'it was there' }] })] },
    rule: 'lint-exception',
    path: 'Note lintExceptions[0]',
  },
  { reason: 'the group is none', props: { kinds: [kindWith({ group: 'demo' })] }, rule: 'group', path: 'Note group' },
  { reason: 'there are no kinds', props: { kinds: [] }, rule: 'kinds', path: 'kinds' },
  { reason: 'there is no image', props: { image: undefined as never }, rule: 'image', path: 'image' },
  { reason: 'the image is empty', props: { image: '' }, rule: 'image', path: 'image' },
  { reason: 'the name is none', props: { name: 'My Operator' }, rule: 'dns-label', path: 'name' },
  {
    reason: 'the release is nowhere',
    props: { released: { from: '/no/such/folder' } },
    rule: 'released-source',
    path: 'released.from',
  },
];

describe('an operator that cannot be, judged at synth', () => {
  it.each(BAD_OPERATORS)('Operator is refused when $reason, with $rule and the way out', ({ props, rule, path }) => {
    const issues = issuesOf(() => operatorWith(props));
    expect(issues).toContainEqual(expect.objectContaining({ rule, path }));
  });

  it('every problem is told at once, each with path, code and remedy', () => {
    const kinds = BAD_OPERATORS.flatMap(({ props }, at) =>
      (props.kinds ?? []).map((kind) => ({ ...kind, group: kind.group.replace('demo', `g${at}`) })),
    );
    const issues = issuesOf(() => operatorWith({ kinds, image: '', name: 'My Operator' }));
    const others = new Set(['kinds', 'released-source']);
    const rules = new Set(BAD_OPERATORS.map(({ rule }) => rule).filter((rule) => !others.has(rule)));
    expect(new Set(issues.map(({ rule }) => rule))).toEqual(rules);
    expect(issues.filter(({ path, message }) => path === '' || message === '')).toEqual([]);
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
    expect(issuesOf(() => resource.toJson())).toMatchObject([{ rule: 'owned-kind', path: 'owns', value: 'v1 Pod' }]);
  });

  it('a cluster-scoped resource has no namespace, whatever its chart has, and is refused with one of its own', () => {
    class Wide extends CustomResource(defineKind({ ...note, spec: s.object({}), scope: 'Cluster' })) {}
    const chart = new Chart(new App(), 'chart', { namespace: 'team-a' });
    expect(new Wide(chart, 'a', { spec: {} }).toJson()).not.toHaveProperty('metadata.namespace');
    const misplaced = { metadata: { namespace: 'team-a' }, spec: {} };
    expect(issuesOf(() => new Wide(chart, 'b', misplaced))).toMatchObject([
      { rule: 'namespace', path: 'metadata.namespace', value: 'team-a' },
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
