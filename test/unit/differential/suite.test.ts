import { expect, it } from 'vitest';
import { runSuite, type Side } from '#test/differential/suite.ts';

/** A side whose targets answer each request with a code, by the number of the target. */
const sideWith = (name: string, codeOf: (target: number) => number): Side => {
  let targets = 0;
  return {
    name,
    createTarget: async () => {
      targets += 1;
      const code = codeOf(targets);
      return {
        namespace: 'seq',
        now: () => 0,
        request: async () => ({ code, body: {} }),
        watch: async () => ({ finish: async () => ({ events: [] }) }),
      };
    },
  };
};

const right = () => sideWith('right', () => 200);

it('runSuite() counts a difference that does not occur again', async () => {
  const sides = [right(), sideWith('wrong once', (target) => (target === 1 ? 500 : 200))] as const;
  const outcome = await runSuite({ seeds: [7, 8], sides, known: [], inFlight: 1 });
  expect(outcome).toMatchObject({ sequences: 2, reports: [], unrepeated: [7] });
});

it('runSuite() reports a difference that occurs again', async () => {
  const sides = [right(), sideWith('wrong', () => 500)] as const;
  const { reports, unrepeated } = await runSuite({ seeds: [7], sides, known: [], shrunk: 0 });
  expect([reports.length, unrepeated]).toEqual([1, []]);
});
