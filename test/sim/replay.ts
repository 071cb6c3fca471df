import { parseArgs } from 'node:util';
import { runSeed } from '#lib/sim/explore/explore.ts';
import { disturbanceOf, shrinkFailure } from '#lib/sim/explore/failure.ts';
import { type Run, runDisturbed, runUndisturbed } from '#lib/sim/explore/run.ts';
import { timeline } from '#lib/sim/world/step/trace.ts';
import { failureHere } from './failure-here.ts';
import { allCases, caseNamed } from './scenarios/all.ts';
import { simulationIn } from './scenarios/case.ts';

const USAGE = `usage: npm run replay -- --scenario <name> --seed <number> [--schedule '<label>; <label>'] [--whole]
  --schedule  these steps instead of those of the seed; "… <label>" waits for a step
  --whole     no shrinking: the run as it was
scenarios: ${allCases.map(({ scenario }) => scenario.name).join(', ')}`;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    schedule: { type: 'string' },
    whole: { type: 'boolean', default: false },
  },
});

const replay = async (): Promise<number> => {
  const found = caseNamed(values.scenario);
  const seed = Number(values.seed);
  if (found === undefined || !Number.isSafeInteger(seed)) {
    console.error(USAGE);
    return 2;
  }
  const simulation = simulationIn(found);
  const expected = await runUndisturbed(simulation);
  const schedule = values.schedule?.split(';').map((label) => label.trim());
  const run: Run =
    schedule === undefined
      ? await runSeed(simulation, seed, { ...found.chaos, expected })
      : await runDisturbed(simulation, disturbanceOf(schedule, { isStrict: true }), { seed, expected });
  const { problem } = run;
  if (problem === undefined || values.whole) {
    console.log(timeline(run.trace));
    console.log(problem === undefined ? 'all is well' : problem.message);
    return problem === undefined ? 0 : 1;
  }
  console.log(failureHere(await shrinkFailure(simulation, { ...run, problem }, { seed, expected })));
  return 1;
};

process.exitCode = await replay();
