import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '#test/architecture/repository.ts';
import type { Forge } from './forge.ts';
import { type EndedProgram, runProgram } from './run-program.ts';

const action = join(repository, '.github/actions/plan');

/** The text of the template for GitLab CI. */
const templateText = async (): Promise<string> => readFile(join(repository, 'templates/ci/gitlab.yml'), 'utf8');

/** A project in which a pipeline runs. */
export interface PipelineProject {
  /** The folder of the checkout. */
  readonly folder: string;
  readonly forge: Forge;
}

/** The settings of a pipeline's author. Each is an input of the action, or a variable of the template. */
export interface PipelineInputs {
  readonly filename: string;
  readonly against?: string;
  readonly config?: string;
  readonly name?: string;
}

interface ActionStep {
  readonly run: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

/** Replaces the expressions in a text. @throws {Error} for an expression that is not a known name */
const substituted = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    const value = values.get(expression.trim());
    if (value === undefined) throw new Error(`The runner of this test has no value for "${expression.trim()}"`);
    return value;
  });

/** The values of a context of expressions: those of the job, and the inputs with their defaults. */
const valuesOf = ({ inputs }: ActionFile, given: PipelineInputs): ReadonlyMap<string, string> => {
  const values = new Map([
    ['github.event.pull_request.number', '12'],
    ['github.token', 'token'],
  ]);
  const unknown = Object.keys(given).find((name) => !(name in inputs));
  if (unknown !== undefined) throw new Error(`The action has no input "${unknown}"`);
  for (const [name, { required, default: otherwise }] of Object.entries(inputs)) {
    const value = given[name as keyof PipelineInputs] ?? (otherwise && substituted(otherwise, values)) ?? '';
    if (required === true && value === '') throw new Error(`The input "${name}" is required`);
    values.set(`inputs.${name}`, value);
  }
  return values;
};

/** The command line of `shell: bash`, see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax */
const BASH = ['bash', '--noprofile', '--norc', '-eo', 'pipefail'];

/** The variables that earlier steps have set in the file of `GITHUB_ENV`. */
const exportedIn = async (path: string): Promise<Readonly<Record<string, string>>> => {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]));
};

/**
 * Runs the steps of the composite action as a runner of GitHub does: expressions are replaced in the scripts and in the
 * variables, each script is a file, and a step that fails ends the job.
 */
export const runAction = async (
  { folder, forge }: PipelineProject,
  given: PipelineInputs,
): Promise<EndedProgram & { readonly summary: string }> => {
  const file = parse(await readFile(join(action, 'action.yml'), 'utf8')) as ActionFile;
  const values = valuesOf(file, given);
  const RUNNER_TEMP = join(folder, '.runner');
  const [GITHUB_ENV, GITHUB_STEP_SUMMARY] = ['env', 'summary'].map((name) => join(RUNNER_TEMP, name)) as [
    string,
    string,
  ];
  await mkdir(RUNNER_TEMP, { recursive: true });
  for (const path of [GITHUB_ENV, GITHUB_STEP_SUMMARY]) await writeFile(path, '');
  const job = { ...forge.gitHub, RUNNER_TEMP, GITHUB_ENV, GITHUB_STEP_SUMMARY, GITHUB_ACTION_PATH: action };
  let [code, printed] = [0, ''];
  for (const { run, shell, env = {} } of file.runs.steps) {
    if (shell !== 'bash') throw new Error(`The runner of this test has no shell "${shell}"`);
    const script = join(RUNNER_TEMP, 'script.sh');
    await writeFile(script, substituted(run, values));
    const own = Object.entries(env).map(([name, text]) => [name, substituted(text, values)] as const);
    const variables = { ...job, ...(await exportedIn(GITHUB_ENV)), ...Object.fromEntries(own) };
    const ended = await runProgram([...BASH, script], { folder, env: variables });
    printed += ended.printed;
    code = ended.code;
    if (code !== 0) break;
  }
  return { code, printed, summary: await readFile(GITHUB_STEP_SUMMARY, 'utf8') };
};

interface TemplateFile {
  readonly plan: { readonly script: readonly string[]; readonly variables: Readonly<Record<string, string>> };
}

/** Runs the script of the template as a runner of GitLab does: all lines in one shell, which ends at the first failure. */
export const runTemplate = async (
  { folder, forge }: PipelineProject,
  { filename, against, config, name }: PipelineInputs,
): Promise<EndedProgram> => {
  const { plan } = parse(await templateText()) as TemplateFile;
  const given = {
    RECONCILE_FILENAME: filename,
    ...(against !== undefined && { RECONCILE_AGAINST: against }),
    ...(config !== undefined && { RECONCILE_CONFIG: config }),
    ...(name !== undefined && { RECONCILE_NAME: name }),
  };
  const unknown = Object.keys(given).find((each) => !(each in plan.variables));
  if (unknown !== undefined) throw new Error(`The template has no variable "${unknown}"`);
  const script = ['set -eo pipefail', ...plan.script].join('\n');
  return runProgram(['bash', '-c', script], { folder, env: { ...forge.gitLab, ...plan.variables, ...given } });
};
