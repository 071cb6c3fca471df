import { describe, expect, it } from 'vitest';
import { withGuardLines } from '#lib/cli/verbs/dev/operator/guard-lines.ts';
import { projectOf, runnableKinds } from '#lib/cli/verbs/dev/project.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { Certificate, ownerOf, portal, website } from '#test/unit/foresight/served/portal.ts';

const kinds = [website, portal] as unknown as readonly AnyKindDefinition[];
const options = { namespaces: [], hasEffects: false, isEmbedded: true };

describe('projectOf()', () => {
  it('projectOf() defines a kind that the embedded cluster cannot run, and runs the others', () => {
    const project = projectOf(kinds, options);
    expect(project.definitions.map(({ spec }) => spec.names.kind)).toEqual(['Website', 'Portal']);
    expect(project.kinds.map(({ kind }) => kind)).toEqual(['Website']);
    expect(runnableKinds(kinds, options)).toEqual([website]);
    expect(JSON.stringify(project.rules)).not.toContain('runtimeclasses');
    expect(project.limits).toEqual([
      'left out: Portal owns RuntimeClass (node.k8s.io/v1), which the embedded cluster does not serve; develop on a cluster that serves it: --cluster current --yes',
    ]);
  });

  it('projectOf() refuses a project of which no kind can run there', () => {
    expect(() => projectOf([portal], options)).toThrow(/^Portal owns RuntimeClass/);
  });

  it('projectOf() leaves out nothing on a cluster of others, nor what a definition may still serve', () => {
    const issuer = ownerOf('Issuer', [Certificate]);
    expect(projectOf([issuer], options).limits).toEqual([]);
    expect(projectOf([portal], { ...options, isEmbedded: false }).limits).toEqual([]);
  });
});

describe('withGuardLines()', () => {
  it('withGuardLines() keeps the line of the guard back, and gives the call that it names', () => {
    let written = '';
    const output = withGuardLines({ write: (text: string) => (written += text) });
    output.write('12:00:00 info starting\n');
    expect(output.hung()).toBeUndefined();
    output.write('{"level":"error","kind":"Website","key":"default/web","reason":"DesiredHung","msg":"x"}\nlast\n');
    expect(written).toBe('12:00:00 info starting\nlast\n');
    expect(output.hung()).toEqual({ kind: 'Website', key: 'default/web' });
  });
});
