import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart, Yaml } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import type { ReleasedProps } from '#constructs/operator/released/released.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { BreakingChangeError } from '#lib/errors.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { VersionShape } from '#lib/kind/shape.ts';
import { between, type VersionStep } from '#lib/kind/versions/between.ts';
import { greeting, v1alpha1, v1beta1 } from '#test/examples/greeting.ts';
import { made } from './made.ts';

const noteWith = (minimum: number, kind = 'Note') =>
  defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind,
    spec: s.object({ size: s.int32({ minimum, maximum: 9, default: 5 }) }),
    status: s.object({}),
    owns: [],
    desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
  });

const [note, smaller, other] = [noteWith(0), noteWith(1), noteWith(0, 'Other')];

let folder: string;

/** The objects of an earlier release: CRDs among others. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'released-'));
  const released = [...made('CustomResourceDefinition', { kinds: [note] }), ...made('Deployment')];
  writeFileSync(join(folder, 'operator.k8s.yaml'), Yaml.stringify(...released));
  writeFileSync(join(folder, 'README.md'), 'not: [yaml');
});

afterAll(() => rmSync(folder, { recursive: true }));

const crdWith = (props: Partial<OperatorProps>, accept: OperatorProps['released'] = { from: folder }) =>
  made('CustomResourceDefinition', { ...props, released: { ...accept, from: folder } });

const reasonOf = (props: Partial<OperatorProps>, released?: OperatorProps['released']): string => {
  try {
    crdWith(props, released);
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(BreakingChangeError);
    return (error as Error).message;
  }
};

describe('Operator with a released definition', () => {
  it('Operator accepts a definition that did not change', () => {
    expect(crdWith({ kinds: [note] })).toHaveLength(1);
  });

  it('Operator refuses what breaks users, all of it at once, with the way out', () => {
    const message = reasonOf({ kinds: [smaller] });
    expect(message).toContain('Cannot release Operator at construct path "chart/operator"');
    expect(message).toMatch(/Note spec\.size: minimum is 1, it was 0: .* \[bound-tightened\]; .*released\.accept/);
  });

  it('Operator accepts what was accepted with a reason, and nothing that is not there', () => {
    const accept = [{ kind: 'Note', rule: 'bound-tightened', path: 'spec.size', reason: 'nobody has 0' }];
    expect(reasonOf({ kinds: [smaller] }, { from: folder, accept })).toBe('accepted');
    const stale = 'Note spec.size: bound-tightened is accepted, and there is no such change';
    expect(reasonOf({ kinds: [note] }, { from: folder, accept })).toContain(stale);
  });

  it('Operator refuses to drop a kind that it released, since pruning its definition deletes all resources', () => {
    expect(reasonOf({ kinds: [other] })).toContain('[kind-removed]');
    expect(reasonOf({ kinds: [other], name: 'another-operator' })).toBe('accepted');
  });

  it('Operator refuses an acceptance without a reason', () => {
    const accept = [{ kind: 'Note', rule: 'bound-tightened', path: 'spec.size', reason: ' ' }];
    expect(reasonOf({ kinds: [smaller] }, { from: folder, accept })).toContain('is accepted without a reason');
  });
});

const kindOf = (stored: VersionShape, step: VersionStep): AnyKindDefinition => ({
  ...greeting,
  ...stored,
  versions: [step],
});
const warningsOf = (kind: AnyKindDefinition, released?: ReleasedProps): readonly string[] => {
  const props = { kinds: [kind], image: 'a:1', ...(released && { released }) };
  return new Operator(new Chart(new App(), 'chart'), 'operator', props).warnings;
};

describe('Operator without a released definition', () => {
  const hidden = { ...v1alpha1, served: false };
  const functions = { up: (content: object) => content as never, down: (content: object) => content as never };
  const same = { ...v1alpha1, version: 'v1beta1' };

  it('warns of a version with functions that is stored: synth cannot see whether it was served before', () => {
    expect(warningsOf(greeting)).toEqual([
      'Greeting stores v1beta1, which functions convert from v1alpha1. If no release has served v1beta1 yet, writes in v1alpha1 fail until the new operator runs, and one Flux Kustomization with resources never lets it run. Set released, and synth refuses that order (docs/versions.md)',
    ]);
  });

  it.each([
    { when: 'the stored version is not the newest', kind: kindOf(v1alpha1, between(v1alpha1, v1beta1, functions)) },
    { when: 'no older version is served', kind: kindOf(v1beta1, between(hidden, v1beta1, functions)) },
    { when: 'no functions are needed', kind: kindOf(same, between(v1alpha1, same)) },
    { when: 'there is one version', kind: note },
  ])('does not warn when $when', ({ kind }) => {
    expect(warningsOf(kind)).toEqual([]);
  });

  it('does not warn when released names the last release', () => {
    expect(warningsOf(greeting, { from: folder })).toEqual([]);
  });
});

describe('Operator with a definition released in Git', () => {
  let work: string;
  const git = (...args: readonly string[]): void => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...author, ...args], { cwd: work, stdio: 'pipe' });
  };
  const messageFrom = (from: string, kind = smaller): string => {
    try {
      process.chdir(work);
      made('CustomResourceDefinition', { kinds: [kind], released: { from } });
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    } finally {
      process.chdir(home);
    }
  };
  const home = process.cwd();

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), 'released-git-'));
    git('init', '--quiet', '--initial-branch=main');
    mkdirSync(join(work, 'out'));
    writeFileSync(
      join(work, 'out/op.k8s.yaml'),
      Yaml.stringify(...made('CustomResourceDefinition', { kinds: [note] })),
    );
    writeFileSync(join(work, 'out/notes.txt'), 'not: [yaml');
    git('add', '.');
    git('commit', '--quiet', '--message=released');
    git('tag', 'v1');
    writeFileSync(
      join(work, 'out/op.k8s.yaml'),
      Yaml.stringify(...made('CustomResourceDefinition', { kinds: [smaller] })),
    );
  });
  afterAll(() => rmSync(work, { recursive: true }));

  it.each(['git:main:out', 'git:v1:out/', 'git:HEAD:out/op.k8s.yaml'])(
    'Operator compares with %s, not with what lies in the folder',
    (from) => {
      expect(messageFrom(from)).toContain('[bound-tightened]');
      expect(messageFrom(from, note)).toBe('accepted');
      expect(messageFrom('out')).toBe('accepted');
    },
  );

  it.each([
    { from: 'git:no-such:out', says: 'git knows no commit "no-such"' },
    { from: 'git:--help:out', says: 'git knows no commit "--help"' },
    { from: 'git:main:elsewhere', says: 'there are no manifests "elsewhere" in main' },
    { from: 'git:main', says: 'write git:<ref>:<path>' },
  ])('Operator refuses $from, with the way out', ({ from, says }) => {
    const message = messageFrom(from);
    expect(message).toContain('[released-source]');
    expect(message).toContain(says);
  });
});
