import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { type ProjectQueryOptions, withProject } from '#lib/cli/shell/options.ts';

const parsed = (line: string): ProjectQueryOptions => {
  const command = withProject(new Command('x')).exitOverride();
  return command
    .configureOutput({ writeErr: () => {} })
    .parse(line.split(' '), { from: 'user' })
    .opts<ProjectQueryOptions>();
};

describe('common options', () => {
  it('are understood as kubectl understands them', () => {
    expect(parsed('-n team --context test --kubeconfig k -o json --config c.ts')).toEqual({
      namespace: 'team',
      context: 'test',
      kubeconfig: 'k',
      output: 'json',
      config: 'c.ts',
    });
    expect(parsed('-o table').namespace).toBeUndefined();
    expect(() => parsed('-o xml')).toThrow(/'xml' is invalid. Allowed choices are text, json, yaml, table/);
  });
});
