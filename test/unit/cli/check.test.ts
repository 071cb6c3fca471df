import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '#lib/cli/program.ts';
import { repository } from '#test/architecture/repository.ts';
import { ran, recordingContext } from './run-cli.ts';

const PODSET = 'test/manifests/podset.yaml';

let folder = '';

describe('check', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'check-'));
  });
  afterEach(() => vi.unstubAllGlobals());
  afterAll(async () => rm(folder, { recursive: true }));

  it('check ends with 0 when nothing is found', async () => {
    const { stdout, code } = await ran(`check PodSet ${PODSET} --schedules 2 --states 10`);
    expect(code).toBe(0);
    const [first, second, third, fourth, ...faults] = stdout.trimEnd().split('\n');
    expect([first, second, third, fourth]).toEqual([
      'Nothing found: 10 states, 2 random schedules.',
      'The search tried every order of the first 2 events with at most one crash and two advances of time.',
      'The search stopped after 10 states, and tried no event after 6 of them.',
      'Writes that the faults of the random schedules hit:',
    ]);
    expect(faults.map((line) => line.slice(0, line.indexOf(':')).trim())).toEqual([
      'request lost',
      'answer lost',
      'error answer',
      'conflict',
      'crash',
    ]);
  });

  it('check ends with 2 when an invariant is broken, draws it, and says how to see it again', async () => {
    const module = join(folder, 'invariants.mjs');
    await writeFile(
      module,
      "export const invariants = () => [{ name: 'two at most', check: (view) => view.objects({ group: '', plural: 'pods' }).length > 2 ? 'three' : undefined }];\n",
    );
    const picture = join(folder, 'bug.svg');
    const { stdout, stderr, code } = await ran(`check podset ${PODSET} --invariants ${module} --picture ${picture}`);
    expect([code, stderr]).toEqual([2, `Drawn: ${picture}\n`]);
    expect(stdout).toContain('two at most: three');
    expect(stdout).toContain(`Run it again: cdk8s-reconcile check podset ${PODSET} --invariants ${module}`);
    expect(await readFile(picture, 'utf8')).toContain('two at most: three');
  });

  it('check names all that it takes to see it again', async () => {
    const module = join(folder, 'none at all.mjs');
    await writeFile(
      module,
      "export const invariants = () => [{ name: 'none', check: (view) => view.objects({ group: '', plural: 'pods' }).length > 1 ? 'two' : undefined }];\n",
    );
    const config = join(repository, 'reconcile.config.ts');
    // The test splits a line at blanks.
    const { context, written } = recordingContext();
    const more = ['--config', config, '-n', 'team', '--without', 'request lost', '--invariants', module];
    expect(await runCli(['check', 'PodSet', PODSET, ...more], context)).toBe(2);
    expect(written().stdout).toContain(
      `check PodSet ${PODSET} --config ${config} --namespace team --invariants '${module}' --without 'request lost'\n`,
    );
  });

  it.for([
    ['--states 300 --schedules 0', 1],
    ['--states 300 --schedules 0', 4],
    ['--states 0 --schedules 300', 4],
  ] as const)('check %s is interrupted in world %i, and says nothing of what was found', async ([limits, world]) => {
    const module = join(folder, `interrupt-${limits.replaceAll(/\W/g, '')}-${world}.mjs`);
    const controller = new AbortController();
    let worlds = 0;
    vi.stubGlobal('nextWorld', () => {
      worlds += 1;
      if (worlds === world) controller.abort();
    });
    await writeFile(module, 'export const invariants = () => { globalThis.nextWorld(); return []; };\n');
    const { signal } = controller;
    const ended = await ran(`check PodSet ${PODSET} --invariants ${module} ${limits}`, { signal });
    expect(ended).toEqual({ stdout: '', stderr: '', code: 130 });
  });

  it.for([
    ['check PodSte', 'Unknown kind PodSte; did you mean PodSet?', 1],
    ['check PodSet', 'there is nothing to simulate: no manifests, and no changes of a script', 1],
    [`check PodSet ${PODSET} --schedules x`, '--schedules is "x"; it must be a whole number, 0 or more', 64],
    [`check PodSet ${PODSET} --time soon`, '--time is "soon"; it must be a length of time', 64],
    [`check PodSet ${PODSET} --without rain`, '--without names "rain"; there are request lost', 64],
    [`check PodSet ${PODSET} --invariants x.ts`, 'Cannot load x.ts', 1],
  ] as const)('%s is refused', async ([line, words, expected]) => {
    const { stderr, code } = await ran(line);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(words)]);
  });
});
