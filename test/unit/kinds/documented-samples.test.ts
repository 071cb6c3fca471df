import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Yaml } from 'cdk8s';
import { afterAll, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { evaluateRules } from '#constructs/evaluate-rules.ts';
import type { JsonObject } from '#lib/json.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';

const folder = mkdtempSync(join(tmpdir(), 'samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pages = ['README.md', ...readdirSync('docs/kinds').map((name) => `docs/kinds/${name}`)];

/** Every resource of the repository's kinds that a page shows as YAML. */
const samplesOf = (page: string): JsonObject[] =>
  [...readFileSync(page, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(([, text = '']) => {
    const file = join(folder, 'sample.yaml');
    writeFileSync(file, text);
    return Yaml.load(file) as JsonObject[];
  });

const issuesOf = (sample: JsonObject) => {
  const kind = kinds.find((each) => each.kind === sample['kind']);
  return kind ? [...validateResource(kind, sample), ...evaluateRules(kind, sample)] : ['no such kind'];
};

describe('resources in the documentation', () => {
  it.each(pages)('would be accepted: %s', (page) => {
    expect(samplesOf(page).map((sample) => [sample['kind'], issuesOf(sample)])).toEqual(
      samplesOf(page).map((sample) => [sample['kind'], []]),
    );
  });

  it('are shown for every kind', () => {
    const shown = new Set(pages.flatMap(samplesOf).map((sample) => sample['kind']));
    expect(kinds.map(({ kind }) => kind).filter((kind) => !shown.has(kind))).toEqual([]);
  });
});
