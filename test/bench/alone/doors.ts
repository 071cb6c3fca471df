import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPackage } from '#apps/package.ts';
import { percentile, type Row, rounded } from '../report/measure.ts';

const RUNS = 5;

/** Inside the repository, where the package finds its dependencies. */
const packed = fileURLToPath(new URL('../../../dist/package', import.meta.url));

const doors = {
  '.': 'lib/index.js',
  './constructs': 'constructs/index.js',
  './runtime': 'lib/runtime.js',
  './testing': 'lib/testing.js',
} as const;

interface Import {
  readonly ms: number;
  readonly heapMiB: number;
}

/** Prints the duration of an import, and the heap that it retains. */
const script = (file: string): string => `
const used = () => { globalThis.gc(); return process.memoryUsage().heapUsed; };
const before = used();
const startedAt = performance.now();
await import(${JSON.stringify(file)});
const ms = performance.now() - startedAt;
console.log(JSON.stringify({ ms, heapMiB: (used() - before) / 2 ** 20 }));
process.exit();
`;

const importOf = async (file: string): Promise<Import> => {
  const args = ['--expose-gc', '--input-type=module', '--eval', script(file)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Import;
};

/** Measures the cost of importing the published package through one of its doors. */
export const measureDoors = async (): Promise<readonly Row[]> => {
  await buildPackage(packed);
  const rows: Row[] = [];
  for (const [door, file] of Object.entries(doors)) {
    const imports: Import[] = [];
    for (let run = 0; run < RUNS; run += 1) imports.push(await importOf(join(packed, file)));
    const ms = percentile(
      imports.map((each) => each.ms),
      0.5,
    );
    const heapMiB = percentile(
      imports.map((each) => each.heapMiB),
      0.5,
    );
    rows.push({
      id: 'DOORS',
      measure: `import of ${door}, ms`,
      goal: '',
      verdict: 'note',
      result: `${rounded(ms)} ms, ${rounded(heapMiB)} MiB of heap`,
      figures: { imports },
      headline: ms,
    });
  }
  return rows;
};
