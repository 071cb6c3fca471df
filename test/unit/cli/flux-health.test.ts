import { describe, expect, it } from 'vitest';
import { withHealthCheck } from '#lib/cli/scaffold/flux-health.ts';

const KIND = { group: 'b.acme.io', kind: 'CronTask' };

/** The lines of the file, in which `added` stands for the new entry. */
const linesOf = (text: string): readonly string[] | undefined =>
  withHealthCheck(text, KIND)
    ?.replace(
      /( *)- apiVersion: b\.acme\.io\/v1alpha1\n {2}\1kind: CronTask\n {2}\1failed: .*\n {2}\1current: .*\n/,
      '$1added\n',
    )
    .split('\n');

describe('withHealthCheck()', () => {
  it.each([
    [['healthCheckExprs:', '- kind: Web', '']],
    [['  wait: true', '  healthCheckExprs:', '    - kind: Web', '  prune: true', '']],
    [['  healthCheckExprs:', '      # One entry for each kind.', '  #', '    - kind: Web', '']],
  ])('withHealthCheck() adds an entry before the first one: %j', (lines) => {
    const at = lines.findIndex((line) => line.includes('- kind'));
    const indent = lines[at]?.replace(/-.*/, '') ?? '';
    expect(linesOf(lines.join('\n'))).toEqual([...lines.slice(0, at), `${indent}added`, ...lines.slice(at)]);
  });

  it.each([
    [['  wait: true', '']],
    [['  healthCheckExprs: []', '']],
    [['  healthCheckExprs:', '    # No kind yet.', '  wait: true', '']],
    [['  # healthCheckExprs:', '  #   - kind: Web', '  dependsOn:', '    - name: web', '']],
    [['  # healthCheckExprs:', '    - kind: Web', '']],
    [['  healthCheckExprs:', '    - kind: CronTask', '']],
  ])('withHealthCheck() adds nothing without a list, or with an entry of the kind: %j', (lines) => {
    expect(linesOf(lines.join('\n'))).toBeUndefined();
  });
});
