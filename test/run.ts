import { provideLinters, quickLinters } from './bundle-lint/tools.ts';
import { providePrograms } from './conformance/program.ts';
import { allArtifacts, provideArtifacts } from './control-plane/binaries.ts';
import { provideImageJudge } from './image-judge/tool.ts';
import { providePromtool } from './promtool/tool.ts';
import { whyImpossible } from './real-node/place/possible.ts';
import { provideNodePrograms } from './real-node/programs/programs.ts';
import { runBesideEachOther } from './run-beside.ts';
import { runVitest } from './run-vitest.ts';
import { provideActionlint } from './workflow-lint/tool.ts';

const loud = (lines: readonly string[]): void => console.error(`\n${lines.map((line) => `!!! ${line}`).join('\n')}\n`);

/**
 * Builds the programs of the control plane and linters first, so that their build does not look like a hanging test.
 */
const canRunClusterTests = async (): Promise<boolean> => {
  try {
    await provideArtifacts(allArtifacts);
    const isSoak = process.env['SOAK'] !== undefined;
    await provideLinters(isSoak ? [...quickLinters, 'checkov'] : quickLinters);
    await providePromtool();
    await provideActionlint();
    await provideImageJudge();
    if (isSoak) await providePrograms();
    return true;
  } catch (error) {
    loud(['NO CONTROL PLANE: the tests against a real API server cannot run.', (error as Error).message]);
    return false;
  }
};

/** Builds the programs of the real node where one can run; without them its test is skipped, and fails in CI. */
const prepareRealNode = async (): Promise<void> => {
  if ((await whyImpossible()) !== undefined) return;
  try {
    await provideNodePrograms();
  } catch (error) {
    loud(['NO REAL NODE: its programs cannot be built.', (error as Error).message]);
    if (process.env['CI'] === undefined) process.env['NODE_TESTS'] = 'skip';
  }
};

/**
 * Without arguments the suites with a cluster and the computing suites share the machine; with arguments vitest runs
 * them as usual.
 */
const runTests = async (clusterTests: boolean): Promise<number> => {
  const asked = process.argv.slice(2);
  if (!clusterTests) return runVitest(asked, { env: { CLUSTER_TESTS: 'skip' } });
  return asked.length > 0 ? runVitest(asked) : runBesideEachOther();
};

const clusterTests = await canRunClusterTests();
if (!clusterTests && process.env['CI'] !== undefined) {
  console.log('0 passed, 1 failed');
  process.exit(1);
}
if (clusterTests) await prepareRealNode();
const code = await runTests(clusterTests);
if (!clusterTests) loud(['SKIPPED: everything in test/cluster (see above).']);
process.exit(code);
