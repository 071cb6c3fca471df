import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { Forge } from './forge.ts';
import { type EndedProgram, runProgram } from './run-program.ts';
import { type PipelineInputs, type PipelineProject, runAction, runTemplate } from './runners.ts';

const MARK = '<!-- cdk8s-reconcile plan -->';

/** Any shell that evaluates this text makes the file `broken`. It has no blanks, because blanks separate the names of files. */
const HOSTILE = '$(touch${IFS}broken)`touch${IFS}broken`;touch${IFS}broken';

/** The configuration of a project with its own kind. */
const CONFIG = `
import { apply, ConfigMap, defineKind, ready, s } from 'cdk8s-reconcile';
const note = defineKind({
  group: 'notes.example.com',
  version: 'v1',
  kind: 'Note',
  name: { maxLength: 180 },
  spec: s.object({ text: s.string({ maxLength: 100 }) }),
  status: s.object({}),
  owns: [ConfigMap],
  desired: ({ resource }) => ({
    children: [
      apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: resource.metadata.name + '-note' },
        data: { text: resource.spec.text },
      }),
    ],
    status: {},
    state: ready('Written', 'the text is in the ConfigMap'),
  }),
});
export default { kinds: [note] };
`;

/** A program for `npm ci` without a registry. It makes the links that an installation makes. */
const NPM = `#!/usr/bin/env bash
set -e
[ "$*" = ci ]
mkdir -p node_modules/.bin
ln -sfn '${repository}' node_modules/cdk8s-reconcile
ln -sf ../cdk8s-reconcile/lib/cli/main.ts node_modules/.bin/cdk8s-reconcile
`;

/** Text that a shell would evaluate is data here, and YAML strings are JSON strings. */
const noteOf = (name: string, text: string): string => `apiVersion: notes.example.com/v1
kind: Note
metadata: { name: ${JSON.stringify(name)}, namespace: default }
spec: { text: ${JSON.stringify(text)} }
`;

let project: PipelineProject;

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) await writeFile(join(project.folder, name), text);
};

beforeEach(async () => {
  project = { folder: await mkdtemp(join(tmpdir(), 'pipeline-')), forge: await Forge.start() };
  await mkdir(join(project.folder, 'bin'));
  await write({
    'bin/npm': NPM,
    'package.json': '{ "type": "module", "private": true }',
    'reconcile.config.ts': CONFIG,
    'dump.yaml': noteOf('web', 'old'),
    'web.yaml': noteOf('web', HOSTILE),
    [`${HOSTILE}.yaml`]: noteOf('other', 'new'),
    'other-config.ts': `import { writeFileSync } from 'node:fs';\nwriteFileSync('broken', '');\n${CONFIG}`,
    'bad.yaml': noteOf(HOSTILE, 'bad'),
  });
  await chmod(join(project.folder, 'bin/npm'), 0o755);
});

afterEach(async () => {
  project.forge.stop();
  await rm(project.folder, { recursive: true });
});

const bodies = (): readonly string[] => project.forge.comments.map(({ body }) => body);

/** Fails if a shell has evaluated {@link HOSTILE}, or if another configuration was loaded. */
const unharmed = async (ended: Promise<EndedProgram>): Promise<EndedProgram> => {
  const result = await ended;
  expect(await readdir(project.folder)).not.toContain('broken');
  return result;
};

/** The action needs the packages of an earlier step of the job. */
const installAndRunAction = async (inputs: PipelineInputs): Promise<EndedProgram> => {
  expect(await runProgram(['npm', 'ci'], { folder: project.folder, env: {} })).toMatchObject({ code: 0 });
  return runAction(project, inputs);
};

describe.each([
  { name: 'the action', run: installAndRunAction },
  { name: 'the GitLab template', run: async (inputs: PipelineInputs) => runTemplate(project, inputs) },
])('$name', ({ run: begin }) => {
  const run = async (inputs: PipelineInputs): Promise<EndedProgram> => unharmed(begin(inputs));

  it('plans all files, and a later run updates the comment', async () => {
    const inputs = { filename: `web.yaml\n${HOSTILE}.yaml`, against: 'dump.yaml' };
    expect(await run(inputs)).toMatchObject({ code: 0 });
    const [first = ''] = bodies();
    expect(first.startsWith(`${MARK}\n**Plan: 2 to create, 0 to change, 0 to delete.`)).toBe(true);
    expect(first).toContain('Note default/web would be changed');
    expect(first).toContain(`!   spec.text: old → ${HOSTILE}`);
    expect(first).toContain('Note default/other would be created');
    await write({ 'web.yaml': noteOf('web', 'newer') });
    expect(await run(inputs)).toMatchObject({ code: 0 });
    expect(bodies()).toEqual([first.replaceAll(HOSTILE, 'newer')]);
  });

  it('writes a comment for each name', async () => {
    for (const name of ['staging', 'production']) await run({ filename: 'web.yaml', against: 'dump.yaml', name });
    expect(bodies().map((body) => body.split('\n', 1))).toEqual([
      ['<!-- cdk8s-reconcile plan: staging -->'],
      ['<!-- cdk8s-reconcile plan: production -->'],
    ]);
  });

  it('fails after the comment when the change would be refused', async () => {
    expect((await run({ filename: 'bad.yaml', against: 'dump.yaml' })).code).toBe(1);
    expect(bodies()).toEqual([expect.stringContaining('would be refused')]);
  });

  it('takes no name of a file as an option', async () => {
    const { code, printed } = await run({ filename: 'web.yaml --config=other-config.ts', against: 'dump.yaml' });
    expect([code, bodies()]).toEqual([1, []]);
    expect(printed).toContain('--config=other-config.ts');
  });

  it('reads the cluster without a dump, and fails without a comment when plan fails', async () => {
    const { code, printed } = await run({ filename: 'web.yaml' });
    expect([code, bodies()]).toEqual([1, []]);
    expect(printed).toMatch(/kubeconfig/i);
  });
});
