import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { atMost, percentile, type Row, rounded } from '../report/measure.ts';

const GOAL = 1.3;
const RUNS = 10;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const cli = join(bin, 'cdk8s');

const emptyApp = `import { App, Chart } from '${import.meta.resolve('cdk8s')}';
const app = new App();
new Chart(app, 'empty');
app.synth();
`;

/** An app with an empty chart: the base cost of synthesis. Node keeps its compile cache, as it does for the bundle. */
const writeEmptyApp = async (folder: string): Promise<void> => {
  await mkdir(folder);
  await writeFile(
    join(folder, 'cdk8s.yaml'),
    `language: typescript\napp: NODE_COMPILE_CACHE=${join(folder, 'compiled')} node empty.mjs\n`,
  );
  await writeFile(join(folder, 'empty.mjs'), emptyApp);
};

/** Both processes run the Node of this repository. */
const env = {
  ...process.env,
  PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
  CDK8S_CHECK_UPGRADE: 'false',
};

const secondsOf = async (cwd: string, output: string): Promise<number> => {
  const startedAt = performance.now();
  await promisify(execFile)(cli, ['synth', '--output', output], { cwd, env });
  return (performance.now() - startedAt) / 1000;
};

/** Compares `cdk8s synth` of the install bundle with that of an empty app, alternately, by medians. */
export const measureP7 = async (): Promise<readonly Row[]> => {
  const scratch = await mkdtemp(join(tmpdir(), 'bench-synth-'));
  try {
    const empty = join(scratch, 'empty');
    await writeEmptyApp(empty);
    const bundles: number[] = [];
    const floors: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      floors.push(await secondsOf(empty, join(scratch, 'empty-out')));
      bundles.push(await secondsOf(root, join(scratch, 'bundle-out')));
    }
    const [bundle, floor] = [percentile(bundles, 0.5), percentile(floors, 0.5)];
    const ratio = bundle / floor;
    return [
      {
        id: 'P7',
        measure: 'cdk8s synth of the install bundle ÷ of an empty app',
        goal: `≤ ${GOAL}`,
        result: `${rounded(ratio)} (${rounded(bundle)} s ÷ ${rounded(floor)} s)`,
        ...atMost(ratio, GOAL),
        figures: { bundles, floors },
        headline: ratio,
      },
    ];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
