import { ApiError } from '#lib/errors.ts';
import { loadKinds } from '../../project/config.ts';
import type { CliContext, Cluster } from '../../shell/context.ts';
import type { ProjectQueryOptions } from '../../shell/options.ts';
import { printable, printResult, wrapped } from '../../shell/output.ts';
import { examineCluster } from './cluster.ts';
import { crdFindings } from './crds.ts';
import { deletionFindings } from './deletions.ts';
import { type DoctorFinding, warning } from './finding.ts';
import { installedOperators, operatorFindings } from './operator.ts';
import { releaseFindings } from './releases.ts';
import { rightsFindings } from './rights.ts';

const STYLES = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** The width of the first column, as in `ok       clock     this clock and that of the API server agree`. */
const STATE_WIDTH = 9;
const CHECK_WIDTH = 10;
const NARROW = 60;

const textOf = (context: CliContext, { state, check, message, fix }: DoctorFinding): string => {
  const head = `${context.color(STYLES[state], state)}${' '.repeat(STATE_WIDTH - state.length)}${check.padEnd(CHECK_WIDTH)}`;
  const columns = context.isTerminal ? context.columns : Number.POSITIVE_INFINITY;
  const indent = columns < NARROW ? '  ' : ' '.repeat(STATE_WIDTH + CHECK_WIDTH);
  const lines = wrapped(message, columns, indent);
  const said = columns < NARROW ? `${head.trimEnd()}\n${lines}` : `${head}${lines.slice(indent.length)}`;
  return fix === undefined ? said : said + wrapped(`→ ${fix}`, columns, indent);
};

const examine = async (
  context: CliContext,
  cluster: Cluster,
  options: ProjectQueryOptions,
): Promise<readonly DoctorFinding[]> => {
  const { kinds } = await loadKinds(context, options);
  const { findings: about, aheadMs } = await examineCluster(cluster, () => context.now());
  if (about.some(({ check, state }) => check === 'cluster' && state === 'failed')) return about;
  const crds = await crdFindings(cluster, kinds);
  try {
    const operators = await installedOperators(cluster);
    // The times in objects are not by the local clock, which may be wrong.
    const now = context.now() + aheadMs;
    const working = await operatorFindings(cluster, operators, now);
    const rights = await rightsFindings(cluster, operators, kinds);
    const states = new Set(working.map(({ state }) => state));
    const hasOperator = states.has('ok') && !states.has('failed');
    const deletions = await deletionFindings(cluster, { kinds, hasOperator, now });
    const releases = await releaseFindings(cluster, kinds);
    return [...about, ...crds, ...working, ...rights, ...deletions, ...releases];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [...about, ...crds, warning('operator', error.message, 'ask for the right to list deployments')];
  }
};

/**
 * Runs the checks, and prints their findings. After some failures, the other checks are left out. The exit code is 1 if a check
 * fails.
 */
export const runDoctor = async (context: CliContext, options: ProjectQueryOptions): Promise<void> => {
  const cluster = await context.connect(options);
  try {
    const findings = await examine(context, cluster, options);
    const text = () => findings.map((finding) => textOf(context, finding)).join('');
    const table = () => ({
      columns: ['STATE', 'CHECK', 'MESSAGE', 'FIX'],
      rows: findings.map(({ state, check, message, fix = '' }) => [state, check, message, fix].map(printable)),
    });
    await printResult(context, findings, { format: options.output, text, table });
    if (findings.some(({ state }) => state === 'failed')) context.exitWith(1);
  } finally {
    await cluster.close();
  }
};
