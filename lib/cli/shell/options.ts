import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCOPES } from '../scaffold/template.ts';
import type { ClusterChoice } from './context.ts';

const FORMATS = ['text', 'json', 'yaml', 'table'] as const;

/** Output formats of a command that can print a comment on a pull request. */
export const REVIEW_FORMATS = [...FORMATS, 'markdown'] as const;

/** One of {@link REVIEW_FORMATS}. */
export type Format = (typeof REVIEW_FORMATS)[number];

/** Options of commands that use a cluster. */
export type ClusterOptions = ClusterChoice;

/** Options of commands that need the kinds of a project. */
export interface ConfigOptions {
  readonly config?: string | undefined;
}

/** Options of commands that print a result. */
export interface OutputOptions {
  readonly output: Format;
}

/** Adds `--kubeconfig`, `--context` and `-n`. */
export const withCluster = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'a kubeconfig (default: KUBECONFIG, or ~/.kube/config)')
    .option('--context <name>', 'a context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <namespace>', 'where to look (default: that of the context)');

/** Adds `--config`. */
export const withConfig = (command: Command): Command =>
  command.option('--config <file>', 'where the kinds are listed (default: reconcile.config.ts, here or further up)');

/**
 * Makes the parser of `--output`. If the command can draw a picture, the error for an unknown format names the option
 * `--picture`.
 */
const formatFor =
  (command: Command, formats: readonly Format[]) =>
  (text: string): Format => {
    const format = formats.find((each) => each === text);
    if (format !== undefined) return format;
    const isDrawn = command.options.some(({ long }) => long === '--picture');
    throw new InvalidArgumentError(
      `Allowed choices are ${formats.join(', ')}.${isDrawn ? ' A picture is drawn by --picture <file.svg>.' : ''}`,
    );
  };

/** Options of commands that can write a report page. */
export interface ReportOptions {
  /** The file name that the user typed; undefined without a page. */
  readonly report?: string;
}

/** Adds `--report`. */
export const withReport = (command: Command): Command =>
  command.option('--report <file>', 'also write an HTML page to walk through (docs/report.md)');

/** Adds `-o`. */
export const withOutput = (command: Command, formats: readonly Format[] = FORMATS): Command =>
  command.addOption(
    new Option('-o, --output <format>', 'how to print it')
      .choices(formats)
      .argParser(formatFor(command, formats))
      .default('text'),
  );

/** Options of commands that print a result about the kinds of a project in a cluster. */
export interface ProjectQueryOptions extends ClusterOptions, ConfigOptions, OutputOptions {}

/** Adds the options of {@link ProjectQueryOptions}. */
export const withProject = (command: Command, formats: readonly Format[] = FORMATS): Command =>
  withOutput(withConfig(withCluster(command)), formats);

/** Adds `--scope`. */
export const withScope = (command: Command): Command =>
  command.addOption(
    new Option('--scope <scope>', 'where resources of the kind are: in namespaces, or in none')
      .choices(SCOPES)
      .default('Namespaced'),
  );
