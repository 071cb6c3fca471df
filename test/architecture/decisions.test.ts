import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './repository.ts';

const LABELS = ['**Context**: ', '**Decision**: ', '**Price**: ', '**Shown by**: '];

/** The page about one decision: its chapters are details. */
const ONE_DECISION = 'docs/decisions/restored-children.md';

interface Decision {
  readonly title: string;
  readonly text: string;
}

const decisionsIn = (path: string): readonly Decision[] => {
  const page = readFileSync(join(repository, path), 'utf8');
  if (path === ONE_DECISION) return [{ title: path, text: page }];
  const [, ...chapters] = page.split(/^## /m);
  return chapters.map((text) => ({ title: `${path}: ${text.split('\n')[0] ?? ''}`, text }));
};

const decisions = globSync('docs/decisions/*.md', { cwd: repository }).toSorted().flatMap(decisionsIn);

/** Whether all labels are there, each at the beginning of a line, in this order. */
const hasAllParts = ({ text }: Decision): boolean => {
  const places = LABELS.map((label) => text.indexOf(`\n${label}`));
  return places.every((place, index) => place > (places[index - 1] ?? 0));
};

/** A test, or the words that there is none. */
const isShown = ({ text }: Decision): boolean =>
  /\]\(\.\.\/\.\.\/test\/[\w/.-]+\.test\.ts\)|No test shows this/.test(text.split('**Shown by**: ')[1] ?? '');

describe('docs/decisions', () => {
  it('has context, decision, price and the test that shows it for each decision', () => {
    expect(decisions.length).toBeGreaterThan(80);
    expect(decisions.filter((decision) => !hasAllParts(decision)).map(({ title }) => title)).toEqual([]);
    expect(decisions.filter((decision) => !isShown(decision)).map(({ title }) => title)).toEqual([]);
  });
});
