import { describe, expect, it } from 'vitest';
import { readAnswers } from '#test/sim/builtin-oracle/answers-file.ts';
import { cases } from '#test/sim/builtin-oracle/cases/index.ts';
import { virtualAnswersOf } from '#test/sim/builtin-oracle/virtual.ts';

const recorded = readAnswers();

describe('builtinKinds', () => {
  it.for(cases.map((each) => [each.name, each] as const))('answer as the real API server does: %s', ([name, each]) => {
    expect(virtualAnswersOf(each)).toEqual(recorded.get(name));
  });

  it('are compared with an answer for every case, and with no other', () => {
    expect([...recorded.keys()]).toEqual(cases.map(({ name }) => name));
  });
});
