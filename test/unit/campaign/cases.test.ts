import { expect, it } from 'vitest';
import { readCaseRange } from '#test/cases.ts';

it('readCaseRange() reads the first case and the number of cases', () => {
  expect(readCaseRange('101+50')).toEqual({ first: 101, count: 50 });
  expect(readCaseRange(undefined)).toBeUndefined();
});

it.each(['', '50', '0+50', '1+0', '1-50', '1+50+', 'a+b'])('readCaseRange() refuses "%s"', (text) => {
  expect(() => readCaseRange(text)).toThrow(`CASES is "${text}": expected <first>+<count>, such as 101+50`);
});
