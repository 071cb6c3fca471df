import { describe, expect, it } from 'vitest';
import { pageOf, readPage } from '#test/conformance/page.ts';
import { kubernetesVersion } from '#test/conformance/program.ts';
import type { Outcome } from '#test/conformance/report.ts';
import { compareWith, completed, readResults, resultsOf, UNEXPLAINED } from '#test/conformance/results.ts';

const outcome = (name: string, state: Outcome['state']): Outcome => ({ name, state, message: '', seconds: 1 });
const committed = { kubernetes: 'v1', passed: ['a', 'b'], failed: { why: ['c'] }, outOfScope: {} };

describe('compareWith()', () => {
  it('finds what passed and does not any more, what fails anew, and what passes now', () => {
    const now = [outcome('a', 'failed'), outcome('b', 'unrun'), outcome('c', 'passed'), outcome('d', 'failed')];
    expect(compareWith(committed, now)).toEqual({ regressions: ['a', 'b'], improvements: ['c'], newFailures: ['d'] });
  });

  it('finds nothing when all is as it was, or was not asked for', () => {
    const nothing = { regressions: [], improvements: [], newFailures: [] };
    expect(compareWith(committed, [outcome('b', 'passed'), outcome('c', 'failed')])).toEqual(nothing);
  });
});

describe('resultsOf()', () => {
  it('has every test once, with a reason for each that did not pass', () => {
    const names = [
      '[x] One [Conformance]',
      '[x] Two [Conformance]',
      '[sig-apps] ReplicationController three [Conformance]',
    ];
    const [one = '', two = '', three = ''] = names;
    const specs = [...names, '[x] Other'].map((name) => ({
      name,
      labels: name.endsWith('[Conformance]') ? ['Conformance'] : [],
    }));
    expect(resultsOf('v1', specs, [outcome(one, 'passed'), outcome(two, 'failed')])).toEqual({
      kubernetes: 'v1',
      passed: [one],
      failed: { [UNEXPLAINED]: [two] },
      outOfScope: { 'needs ReplicationController, which the embedded cluster does not serve': [three] },
    });
  });
});

describe('completed()', () => {
  it('takes the outcomes of a part of the tests, and the committed ones of all others', () => {
    const all = completed(committed, [outcome('a', 'failed'), outcome('d', 'passed')]);
    expect(all.map(({ name, state }) => `${name} ${state}`)).toEqual(['a failed', 'd passed', 'b passed']);
  });
});

describe('docs/conformance.md', () => {
  it('is the committed results, which are of the version that go.mod names and explain every failure', () => {
    const results = readResults();
    expect(readPage()).toBe(pageOf(results));
    expect(results.kubernetes).toBe(kubernetesVersion());
    expect(results.failed[UNEXPLAINED]).toBeUndefined();
  });
});
