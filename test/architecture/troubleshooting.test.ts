import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repository } from './repository.ts';

const sourcesOf = (patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: repository }).map((path) => readFileSync(`${repository}/${path}`, 'utf8'));

const page = readFileSync(`${repository}/docs/troubleshooting.md`, 'utf8');

const found = (texts: readonly string[], pattern: RegExp): readonly string[] =>
  [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, match = '']) => match)))].toSorted();

const loop = ['lib/{loop,plan,desired}/**/*.ts'];
const all = [...loop, 'constructs/**/*.ts'];

describe('docs/troubleshooting.md', () => {
  it('names every reason that the loop and the kinds give to a state, and every refusal', () => {
    const states = found(sourcesOf(all), /\b(?:stalled|progressing|ready)\(\s*'([A-Z]\w+)'/g);
    const refusals = found(sourcesOf(['lib/loop/pass/report/refusal-text.ts']), /^ {2}([A-Z]\w+): '/gm);
    const codes = ['DesiredFailed', 'DesiredHung', 'InvalidDesired', 'UndeclaredRead'];
    // Reasons that the code passes as constants.
    const ours = [...codes, 'PruneNeedsConsent', 'ReleaseNeedsConsent', 'TooLarge'];
    expect(states.length).toBeGreaterThan(30);
    expect(refusals).toHaveLength(9);
    // An example in a comment.
    const reasons = [...states, ...refusals, ...ours].filter((reason) => reason !== 'Said');
    expect(reasons.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
  });

  it('names every reason for which an effect fails', () => {
    const reasons = found(
      sourcesOf(['lib/loop/effects/*.ts']),
      /\b(?:again|failedAttempt|unusableSecret)\('(\w+)'[,)]/g,
    );
    expect(reasons.length).toBeGreaterThan(8);
    expect(reasons.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
  });

  it('names every line that the log has at info and above', () => {
    const sources = sourcesOf(['lib/{loop,runtime,conversion,kube}/**/*.ts', 'lib/runtime.ts']);
    const calls = found(sources, /\blog(?:\.(?:info|warn|error)|\[level\])\(([\s\S]*?)\);/g);
    const messages = calls.flatMap((call) => /'([^'\n]{8,})',?\s*$/.exec(call)?.[1] ?? []);
    expect(messages.length).toBeGreaterThan(25);
    expect(messages.filter((message) => !page.includes(message))).toEqual([]);
  });
});
