import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { lintWorkflow } from '#test/workflow-lint/tool.ts';

const workflows = globSync('.github/workflows/*.yml', { cwd: repository }).toSorted();

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

describe('actionlint', () => {
  it.for(workflows)('accepts %s', async (path) => {
    expect(await lintWorkflow(read(path))).toEqual({ code: 0, text: '' });
  });

  it('refuses a step that reads an output of no step', async () => {
    const broken = read('.github/workflows/ci.yml').replace('steps.programs.outputs', 'steps.program.outputs');
    const { code, text } = await lintWorkflow(broken);
    expect(code).toBe(1);
    expect(text).toContain('property "program" is not defined');
  });
});
