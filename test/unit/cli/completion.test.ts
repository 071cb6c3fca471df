import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createProgram } from '#lib/cli/program.ts';
import { argumentsOf } from '#lib/cli/shell/process-context.ts';
import { completionsOf, directiveOf } from '#lib/cli/verbs/completion/candidates.ts';
import { ran, recordingContext } from './run-cli.ts';

const { context } = recordingContext();
const program = createProgram(context, '0');
const after = (...words: readonly string[]) => completionsOf(program, words).map(({ word }) => word);

describe('completionsOf()', () => {
  it('offers commands, then their own, by what was typed of them', () => {
    expect(after('')).toEqual(expect.arrayContaining(['init', 'tree', 'rollout', 'completion']));
    expect(after('').some((word) => word.startsWith('__'))).toBe(false);
    expect(after('ro')).toEqual(['rollout']);
    expect(after('rollout', 're')).toEqual(['resume', 'retry']);
    expect(after('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(after('tree', 'podset/web', '')).toEqual([]);
  });

  it('offers options and what they may be', () => {
    expect(after('tree', '--out')).toEqual(['--output']);
    expect(after('tree', '-o', 'j')).toEqual(['json']);
    expect(after('tree', '-n', 'tr')).toEqual([]);
    expect(after('tree', '-n', 'team', '--wa')).toEqual(['--watch']);
  });
});

describe('directiveOf()', () => {
  it.for([
    [['plan', '-f', ''], 0],
    [['simulate', ''], 0],
    [['tree', '--config', ''], 0],
    [['tree', ''], 6],
    [['tree', 'podset/'], 4],
    [['tree', '-o', ''], 4],
    [['plan', '-'], 4],
    [[''], 4],
  ] as const)('directiveOf() lets files follow %j: %d', ([words, directive]) => {
    expect(directiveOf(program, words)).toBe(directive);
  });
});

describe('completion', () => {
  it('is a script that bash understands', async () => {
    const { stdout, code } = await ran('completion bash');
    expect(code).toBe(0);
    await promisify(execFile)('bash', ['-n', '-c', stdout]);
    expect(await ran('completion tcsh')).toMatchObject({ code: 64, stdout: '' });
  });

  it('answers kubectl, which asks a program of that name, as cobra does', () => {
    const argv = ['node', '/usr/bin/kubectl_complete-reconcile', 'rollout', 'pa'];
    expect(argumentsOf(argv)).toEqual(['__complete', '--directive', '--', 'rollout', 'pa']);
    expect(argumentsOf(['node', '/usr/bin/kubectl-reconcile', '-v'])).toEqual(['-v']);
  });

  it('ends with the directive where it is asked for', async () => {
    expect(await ran('__complete --directive -- rollout pa')).toEqual({
      code: 0,
      stderr: '',
      stdout: 'pause\tno new step, no new version\n:4\n',
    });
  });

  it('asks the program itself', async () => {
    expect((await ran('__complete -- rollout pa')).stdout).toBe('pause\tno new step, no new version\n');
  });
});
