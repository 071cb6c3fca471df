import { startControlPlane } from '#test/control-plane/control-plane.ts';
import { createRealServer } from './real-target.ts';
import { runSuite } from './suite.ts';
import { virtualSide } from './virtual-target.ts';

const USAGE = 'node test/differential/replay.ts --seed <number> [--to <number>]';

const numberOf = (name: string): number | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};

/** Sends the sequences of some seeds to both servers and prints the differences, in the shortest form. */
const replay = async (first: number, last: number): Promise<boolean> => {
  await using plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
  const real = await createRealServer(plane);
  const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const { reports, steps } = await runSuite({ seeds, sides: [real, virtualSide] });
  real.close();
  console.log([...reports, `${seeds.length} sequences, ${steps} steps, ${reports.length} differ`].join('\n\n'));
  return reports.length === 0;
};

const seed = numberOf('seed');
if (seed === undefined || !Number.isSafeInteger(seed)) {
  console.error(USAGE);
  process.exitCode = 2;
} else process.exitCode = (await replay(seed, numberOf('to') ?? seed)) ? 0 : 1;
