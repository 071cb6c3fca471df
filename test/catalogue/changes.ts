import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Yaml } from 'cdk8s';
import type { Issue } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import { compareSchemas } from '#lib/kind/evolution/compare-schemas.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { note } from '#test/unit/bad-input/operators.ts';
import { CHANGE_CASES } from '#test/unit/kind/evolution/change-cases.ts';
import { operatorIssues } from './issues.ts';

/** A change, and the findings that it causes. */
interface ChangeExample {
  readonly refused: unknown;
  readonly issues: readonly Issue[];
}

const scaled: KindShape = {
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Note',
  spec: s.object({ size: s.int32({ default: 1 }) }),
  status: s.object({ size: s.int32() }),
  scale: { spec: '.spec.size', status: '.status.size' },
};

const ofKind = (change: Partial<KindShape>): ChangeExample => {
  const [before, after] = [compileCrd(scaled), compileCrd({ ...scaled, ...change })];
  const { group, version, kind, scope } = scaled;
  return {
    refused: { before: { group, version, kind, scope }, after: change },
    issues: breakingChanges(before, after),
  };
};

const same = (content: object) => content as never;

/** A second version with functions, which becomes the stored version at once. */
const ofNewVersion = (): ChangeExample => {
  const { group, version, kind, spec, status } = scaled;
  const [v1, v2] = [
    { version, spec, status },
    { version: 'v2', spec, status },
  ];
  const after = { group, kind, ...v2, versions: [between(v1, v2, { up: same, down: same })] };
  const conversion = { name: 'operator', namespace: 'operator', port: 443 };
  return {
    refused: { before: { version }, after: { version: 'v2', versions: ['v1', 'v2, by functions'] } },
    issues: breakingChanges(compileCrd({ group, kind, ...v1 }), compileCrd(after, { conversion })),
  };
};

const { scale: _, ...unscaled } = scaled;

/** A release of two kinds: it drops one of them, and accepts a change that does not occur. */
const ofRelease = (): ChangeExample[] => {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
  try {
    const labels = { 'app.kubernetes.io/name': 'reconcile-operator' };
    const crds = [note, { ...note, kind: 'Memo' }].map((kind) => ({ ...compileCrd(kind) }));
    const released = crds.map((crd) => ({ ...crd, metadata: { ...crd.metadata, labels } }));
    writeFileSync(join(folder, 'released.yaml'), Yaml.stringify(...released));
    const accept = [{ kind: 'Note', rule: 'field-removed', path: 'spec.a', reason: '' }];
    const issues = operatorIssues({ released: { from: folder, accept } });
    return [{ refused: { before: { kinds: ['Note', 'Memo'] }, after: { kinds: ['Note'], accept } }, issues }];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** At least one example for every code of a change. */
export const CHANGES: readonly ChangeExample[] = [
  ...CHANGE_CASES.map(({ before, after }) => ({
    refused: { before, after },
    issues: [...compareSchemas({ path: 'spec.a', before, after })],
  })),
  ofKind({ scope: 'Cluster' }),
  ofKind({ version: 'v2' }),
  ofKind({ kind: 'Memo', plural: 'notes' }),
  ofNewVersion(),
  {
    ...ofKind({}),
    issues: breakingChanges(compileCrd(scaled), compileCrd(unscaled)),
    refused: { before: { scale: scaled.scale }, after: {} },
  },
  ...ofRelease(),
];
