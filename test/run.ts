import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { provideLinters, quickLinters } from './bundle-lint/tools.ts';
import { allArtifacts, provideArtifacts } from './control-plane/binaries.ts';

const loud = (lines: readonly string[]): void => console.error(`\n${lines.map((line) => `!!! ${line}`).join('\n')}\n`);

/** Programs of the control plane and linters first, so that their build is not counted as a test that hangs. */
const canRunClusterTests = async (): Promise<boolean> => {
  try {
    await provideArtifacts(allArtifacts);
    await provideLinters(process.env['SOAK'] === undefined ? quickLinters : [...quickLinters, 'checkov']);
    return true;
  } catch (error) {
    loud(['NO CONTROL PLANE: the tests against a real API server cannot run.', (error as Error).message]);
    return false;
  }
};

const runVitest = async (clusterTests: boolean): Promise<number> => {
  const env = { ...process.env, ...(clusterTests ? {} : { CLUSTER_TESTS: 'skip' }) };
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
  const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit', env }), 'exit')) as [number | null];
  return code ?? 1;
};

const clusterTests = await canRunClusterTests();
if (!clusterTests && process.env['CI'] !== undefined) {
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const code = await runVitest(clusterTests);
if (!clusterTests) loud(['SKIPPED: everything in test/cluster (see above).']);
process.exit(code);
