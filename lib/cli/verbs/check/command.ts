import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { CheckOptions, CheckReport } from '#lib/foresight/check/check.ts';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import {
  type ConfigOptions,
  type OutputOptions,
  type ReportOptions,
  withConfig,
  withOutput,
  withReport,
} from '../../shell/options.ts';

interface Options extends ConfigOptions, OutputOptions, ReportOptions {
  readonly script?: string;
  readonly invariants?: string;
  readonly seed: string;
  readonly schedules: string;
  readonly states: string;
  readonly time?: string;
  readonly without?: string;
  readonly picture?: string;
  readonly namespace: string;
}

const kindsFor = async (name: string, kinds: readonly AnyKindDefinition[]): Promise<readonly AnyKindDefinition[]> => {
  const first = kinds.find(({ kind }) => kind.toLowerCase() === name.toLowerCase());
  if (first === undefined) {
    const { ConfigurationError } = await import('#lib/errors.ts');
    const { tryNearest } = await import('#lib/kind/value/suggestion.ts');
    const names = kinds.map(({ kind }) => kind);
    const nearest = tryNearest(name, names);
    const hint = nearest === undefined ? `; the kinds are ${names.join(', ')}` : `; did you mean ${nearest}?`;
    throw new ConfigurationError(`Unknown kind ${name}${hint}`);
  }
  const chosen = new Set([first]);
  for (const { owns } of chosen) {
    for (const { kind, apiVersion } of owns) {
      const owned = kinds.find((each) => each.kind === kind && `${each.group}/${each.version}` === apiVersion);
      if (owned !== undefined) chosen.add(owned);
    }
  }
  return [...chosen];
};

const invariantsOf = async (
  path: string | undefined,
  context: CliContext,
): Promise<Pick<CheckOptions, 'invariants'>> => {
  if (path === undefined) return {};
  const { ConfigurationError } = await import('#lib/errors.ts');
  let module: { readonly invariants?: unknown };
  try {
    module = (await import(/* @vite-ignore */ pathToFileURL(resolve(context.cwd, path)).href)) as typeof module;
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw new ConfigurationError(`Cannot load ${path}: ${why}`, { cause });
  }
  if (typeof module.invariants === 'function')
    return { invariants: module.invariants as NonNullable<CheckOptions['invariants']> };
  throw new ConfigurationError(
    `${path} exports no function "invariants"; write export const invariants = () => [{ name, check: (view) => … }]`,
  );
};

const numbersOf = async (options: Options): Promise<Pick<CheckOptions, 'seed' | 'schedules' | 'states'>> => {
  const { ConfigurationError } = await import('#lib/errors.ts');
  const read = (name: 'seed' | 'schedules' | 'states'): number => {
    const value = Number(options[name]);
    if (options[name] !== '' && Number.isSafeInteger(value) && value >= 0) return value;
    throw new ConfigurationError(`--${name} is "${options[name]}"; it must be a whole number, 0 or more`);
  };
  return { seed: read('seed'), schedules: read('schedules'), states: read('states') };
};

const timeLimit = async ({ time }: Options, context: CliContext): Promise<Pick<CheckOptions, 'isOver'>> => {
  if (time === undefined) return {};
  const { ConfigurationError } = await import('#lib/errors.ts');
  const { durationMs } = await import('#lib/foresight/simulate/script/time-text.ts');
  const ms = durationMs(time);
  if (ms === undefined)
    throw new ConfigurationError(`--time is "${time}"; it must be a length of time such as 30s or 5m`);
  const endMs = context.now() + ms;
  return { isOver: () => context.now() >= endMs };
};

const withoutOf = async ({ without }: Options): Promise<Pick<CheckOptions, 'without'>> => {
  if (without === undefined) return {};
  const { ConfigurationError } = await import('#lib/errors.ts');
  const { FAULT_CLASSES } = await import('#lib/sim/world/step/step.ts');
  const names = without.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !FAULT_CLASSES.some((known) => known === name));
  if (unknown !== undefined)
    throw new ConfigurationError(`--without names "${unknown}"; there are ${FAULT_CLASSES.join(', ')}`);
  return { without: FAULT_CLASSES.filter((name) => name === 'clock jump' || names.includes(name)) };
};

const quoted = (word: string): string =>
  /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The options with which `check` finds the same failure directly: the seed of the failure, or the number of states. */
const wayOf = ({ way, failure }: CheckReport, { states }: Options): readonly string[] => {
  if (way === 'schedule') return ['--states', '0', '--schedules', '1', '--seed', String(failure?.seed ?? 0)];
  return way === 'search' ? ['--states', states, '--schedules', '0'] : [];
};

const againOf = (
  context: CliContext,
  words: readonly string[],
  { options, report }: { readonly options: Options; readonly report: CheckReport },
): string => {
  const { config, namespace, script, invariants, without } = options;
  const given = { config, namespace: namespace === 'default' ? undefined : namespace, script, invariants, without };
  const said = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return [context.program, ...['check', ...words, ...said, ...wayOf(report, options)].map(quoted)].join(' ');
};

const checked = async (
  context: CliContext,
  kind: string,
  paths: readonly string[],
  options: Options,
): Promise<void> => {
  const { assertOutputNames, writeOutputFile } = await import('../../shell/output-file.ts');
  assertOutputNames(options);
  const config = await (await import('../../project/config.ts')).loadKinds(context, options);
  const kinds = await kindsFor(kind, config.kinds);
  const { readManifests } = await import('../../project/manifests.ts');
  const { readScriptFile, withPosition } = await import('../../project/script-file.ts');
  const manifests = await readManifests(paths, context);
  const { value, file, files } = await readScriptFile(options.script, context);
  const limits = {
    ...(await numbersOf(options)),
    ...(await timeLimit(options, context)),
    ...(await withoutOf(options)),
  };
  const { check } = await import('#lib/foresight/check/check.ts');
  const given = {
    kinds,
    manifests: manifests.map(({ object }) => object),
    script: value,
    files,
    namespace: options.namespace,
    signal: context.signal,
  };
  const report = await check({ ...given, ...limits, ...(await invariantsOf(options.invariants, context)) }).catch(
    (error: unknown) => {
      throw withPosition(error, { file, wheres: manifests.map(({ where }) => where), cwd: context.cwd });
    },
  );
  const { failure } = report;
  if (failure !== undefined) context.exitWith(2);
  if (failure !== undefined && options.picture !== undefined) {
    const { findingPictureOf } = await import('#lib/foresight/check/finding-picture.ts');
    await writeOutputFile(context, 'picture', { name: options.picture, text: findingPictureOf(failure) });
  }
  const { writeReportPage } = await import('../../shell/report-page.ts');
  await writeReportPage(context, options.report, async () =>
    (await import('#lib/foresight/page/runs/finding-run.ts')).findingRun(report),
  );
  const { printable, printResult } = await import('../../shell/output.ts');
  for (const note of report.notes) context.stderr.write(`${printable(note)}\n`);
  const { findingText } = await import('#lib/foresight/check/finding-text.ts');
  const { placeInWords } = await import('../../project/project-file.ts');
  const again = againOf(context, [kind, ...paths], { options, report });
  const place = placeInWords(failure?.problem.cause, context.cwd);
  await printResult(context, report, {
    format: options.output,
    text: () => printable(findingText(report, { again, place })),
  });
};

/** `check`: searches for a schedule under which a kind fails. */
export const checkCommand = (context: CliContext): Command =>
  withExamples(
    withOutput(
      withReport(
        withConfig(
          new Command('check')
            .summary('search for a schedule under which a kind fails')
            .description(
              'Runs a kind in a cluster in memory under thousands of interleavings and misfortunes: lost requests, crashes, evictions. Prints the shortest way into trouble that it finds, and ends with 2 then. Needs no cluster.',
            )
            .argument('<kind>', 'such as PodSet; kinds that it owns run, too')
            .argument('[manifests...]', 'files, folders, - for stdin; applied at the start')
            .option('-s, --script <file>', 'a script of changes, as for simulate; its times are ignored')
            .option('--invariants <file>', 'a module that exports invariants (docs/virtual-cluster.md)')
            .option('--schedules <number>', 'how many random schedules are tried', '300')
            .option('--states <number>', 'how many states near the start are searched first', '300')
            .option('--time <time>', 'start no schedule after this time, such as 5m')
            .option('--seed <number>', 'the first seed', '1')
            .option('--without <classes>', 'misfortunes to leave out, such as crash,actor')
            .option('--picture <file>', 'draw the finding as SVG')
            .option('-n, --namespace <namespace>', 'of objects that name none', 'default'),
        ),
      ),
    ).action((kind: string, manifests: readonly string[], options: Options) =>
      checked(context, kind, manifests, options),
    ),
    [
      ['check PodSet web.yaml', 'is there a schedule under which it fails?'],
      [
        'check PodSet web.yaml --script scale.yaml --time 5m --picture bug.svg',
        'for five minutes, while a user scales it',
      ],
      ['check Runner runner.yaml --invariants invariants.ts', 'with invariants of your own'],
    ],
  );
