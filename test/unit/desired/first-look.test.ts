import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { CustomResource } from '#constructs/custom-resource.ts';
import { Operator } from '#constructs/operator/operator.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { type InvalidDefinitionError, InvalidOperatorError } from '#lib/errors.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { render } from '#lib/render/render.ts';
import { repository } from '#test/architecture/repository.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const endless = defineKind({
  ...shelf,
  desired: () => {
    for (;;);
  },
  kind: 'Endless',
  plural: 'endlesses',
  spec: s.object({}),
});

const MAIN = `
import { App, Chart } from '${join(repository, 'node_modules/cdk8s/lib/index.js')}';
import { Operator } from '${join(repository, 'constructs/index.ts')}';
import { defineKind, s } from '${join(repository, 'lib/index.ts')}';

export const website = defineKind({
  group: 'web.acme.io', version: 'v1', kind: 'Website', plural: 'websites', owns: [],
  spec: s.object({}), status: s.object({}),
  // Not a condition that an edit of the spec changes.

  desired() {
    for (;;);
  },
});
new Operator(new Chart(new App(), 'app'), 'operator', { name: 'web', image: 'example.com/web:1', kinds: [website] });
`;

const errorOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was refused');
};

const chart = (): Chart => new Chart(new App(), 'app');
const kinds: readonly AnyKindDefinition[] = [endless, defineKind({ ...shelf, owns: [...shelf.owns, ...shelf.owns] })];

describe('a function that does not return', () => {
  it('Operator refuses its kind, and lists the problems of the other kinds', () => {
    const image = 'registry.example.com/operator:1';
    const error = errorOf(() => new Operator(chart(), 'operator', { name: 'op', image, kinds }));
    expect(error).toBeInstanceOf(InvalidOperatorError);
    const { issues } = error as InvalidOperatorError;
    expect(issues.map(({ path, rule }) => `${path} ${rule}`)).toEqual([
      'Endless desired desired-returns',
      'Shelf owns kind-named-twice',
    ]);
    expect(issues[0]?.message).toBe(
      `desired() (${import.meta.filename}) does not return within 1 s of CPU time for this spec`,
    );
  });

  it('a resource of its kind is refused when it is rendered', () => {
    class Endless extends CustomResource(endless) {}
    const resource = new Endless(chart(), 'a', { spec: {} });
    const { message, issues } = errorOf(() => resource.toJson()) as InvalidDefinitionError;
    expect(message).toContain('"Endless"');
    expect(issues).toEqual([expect.objectContaining({ rule: 'desired-returns', value: {} })]);
  });

  it('render() ends it', () => {
    expect(errorOf(() => render(endless, { spec: {} }))).toMatchObject({ code: 'DesiredHung' });
  });

  it('a synth ends with the file and the line of the function', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'synth-'));
    const file = join(folder, 'main.ts');
    await writeFile(file, MAIN);
    try {
      const run = promisify(execFile)(process.execPath, [file], { timeout: 60_000 });
      await expect(run).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Website desired: desired() (${file}:11) does not return`) as string,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
