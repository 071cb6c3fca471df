import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repository } from './repository.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

const workflows = globSync('.github/workflows/*.yml', { cwd: repository }).toSorted();

interface Workflow {
  readonly permissions: object;
}

interface Dependabot {
  readonly updates: readonly { readonly directory?: string; readonly directories?: readonly string[] }[];
}

describe('.github', () => {
  it.for(workflows)('%s pins each action by commit, with the release beside it', (path) => {
    const uses = [...read(path).matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((action) => !/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it.for(workflows)('%s may read, and a job that needs more says so', (path) => {
    expect((parse(read(path)) as Workflow).permissions).toEqual({ contents: 'read' });
  });

  it('CI and releases run what .ci/run runs', () => {
    for (const path of ['ci.yml', 'release.yml']) expect(read(`.github/workflows/${path}`)).toContain('run: .ci/run');
  });

  it('dependabot looks at folders that exist', () => {
    const { updates } = parse(read('.github/dependabot.yml')) as Dependabot;
    const folders = updates.flatMap(({ directory, directories = [] }) => [directory, ...directories]);
    expect(folders.filter((folder) => folder !== undefined && !existsSync(join(repository, folder)))).toEqual([]);
  });
});
