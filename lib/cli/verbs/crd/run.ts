import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { renderMarkdown } from '#lib/foresight/plan/markdown-document.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import { loadKinds } from '../../project/config.ts';
import { compiled, tryInstalled } from '../../project/definitions.ts';
import { type CrdVerdict, type Difference, verdictOf } from '../../project/difference.ts';
import { type LocatedManifest, readManifests } from '../../project/manifests.ts';
import type { CliContext } from '../../shell/context.ts';
import type { ProjectQueryOptions } from '../../shell/options.ts';
import { printable, printResult } from '../../shell/output.ts';

/** Options of `crd diff`. */
export interface CrdDiffOptions extends ProjectQueryOptions {
  /** Files or folders with CRDs, which are compared in place of the CRDs in the cluster. @default none */
  readonly from?: readonly string[];
}

type Source = (name: string) => Promise<CustomResourceDefinition | undefined>;

/**
 * Reads a CRD as an API server stores it.
 *
 * @throws {ConfigurationError} when an API server refuses the CRD, which cannot be compared then
 */
const stored = async ({ object, where }: LocatedManifest): Promise<CustomResourceDefinition> => {
  const { createClusterServer } = await import('#lib/sim/cluster.ts');
  // A conversion would need its webhook, and neither member is compared.
  const spec = { ...(object['spec'] as object), conversion: undefined, preserveUnknownFields: undefined };
  const body = { ...object, metadata: { name: object.metadata.name }, spec };
  const answer = createClusterServer(() => 0).handle({ verb: 'create', resource: resourceNameOf(DEFINITIONS), body });
  if (answer.code >= 400) throw new ConfigurationError(`${where}: ${String(answer.body['message'])}`);
  // The status of the file names the versions in which objects are stored.
  return { ...answer.body, status: object['status'] } as unknown as CustomResourceDefinition;
};

const fromFiles = async (context: CliContext, paths: readonly string[]): Promise<Source> => {
  const manifests = await readManifests(paths, context);
  return async (name) => {
    const found = manifests.find(
      ({ object: { apiVersion, kind, metadata } }) =>
        apiVersion === DEFINITIONS.apiVersion && kind === DEFINITIONS.kind && metadata.name === name,
    );
    return found && stored(found);
  };
};

const TITLES: Readonly<Record<CrdVerdict['verdict'], string>> = {
  same: 'the same',
  new: 'new',
  compatible: 'compatible changes',
  breaking: 'breaks users',
};

const STYLES = { same: 'dim', new: 'green', compatible: 'yellow', breaking: 'red' } as const;

const SHOWN_VALUE = 60;
const SHOWN_DIFFERENCES = 30;

const shown = (value: unknown): string => {
  const text = printable(JSON.stringify(value) ?? '');
  return text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text;
};

const differenceLine = ({ path, before, after }: Difference): string => {
  if (before === undefined) return `  + ${path}: ${shown(after)}`;
  if (after === undefined) return `  - ${path}: ${shown(before)}`;
  return `  ~ ${path}: ${shown(before)} → ${shown(after)}`;
};

/**
 * Formats a verdict: a summary line, then breaking changes, then differences.
 *
 * @param atMost - the maximum number of differences to list
 */
export const verdictLines = (
  context: Pick<CliContext, 'color'>,
  { name, verdict, differences, breaks }: CrdVerdict,
  atMost = SHOWN_DIFFERENCES,
): readonly string[] => {
  const rest = differences.length - atMost;
  return [
    `${name}: ${context.color(STYLES[verdict], TITLES[verdict])}`,
    ...breaks.map(({ path, message, fix, rule }) =>
      context.color('red', printable(`  ! ${path === '' ? '' : `${path}: `}${message} [${rule}]; ${fix}`)),
    ),
    ...differences.slice(0, atMost).map(differenceLine),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
};

const plainColors: Pick<CliContext, 'color'> = { color: (_, text) => text };

/** A line of a diff: GitHub and GitLab color `!`. */
const markedLine = (line: string): string => line.trimStart().replace(/^!/, '! breaks:').replace(/^~/, '!');

const VERDICTS = ['breaking', 'compatible', 'new', 'same'] as const;

/** Formats verdicts as a comment on a pull request. CRDs with breaking changes come first. */
const verdictsMarkdown = (verdicts: readonly CrdVerdict[]): string => {
  const counts = VERDICTS.map((verdict) => verdicts.filter((one) => one.verdict === verdict));
  const numbers = counts.flatMap((some, at) =>
    some.length === 0 ? [] : [`${some.length} ${TITLES[VERDICTS[at] ?? 'same']}`],
  );
  return renderMarkdown({
    name: 'crd diff',
    summary: `Definitions: ${numbers.join(', ') || 'none'}.`,
    sections: counts.flat().map((verdict) => {
      const [title = '', ...lines] = verdictLines(plainColors, verdict, Infinity);
      return { title, lines: lines.map(markedLine) };
    }),
  });
};

/**
 * Compares the compiled CRDs with the CRDs of the cluster or of files. The exit code is 2 when they differ.
 *
 * @param context - the process
 * @param options - the options that the user typed
 */
export const printCrdDiff = async (context: CliContext, options: CrdDiffOptions): Promise<void> => {
  const after = definedKinds((await loadKinds(context, options)).kinds).map(compiled);
  const cluster = options.from === undefined ? await context.connect(options) : undefined;
  try {
    const source: Source =
      cluster === undefined ? await fromFiles(context, options.from ?? []) : (name) => tryInstalled(cluster.api, name);
    const verdicts = await Promise.all(
      after.map(async (definition) => verdictOf(await source(definition.metadata.name), definition)),
    );
    const text = () => verdicts.flatMap((verdict) => verdictLines(context, verdict)).join('\n');
    const table = () => ({
      columns: ['NAME', 'VERDICT', 'CHANGES', 'BREAKS'],
      rows: verdicts.map(({ name, verdict, differences, breaks }) => [
        name,
        verdict,
        ...[differences, breaks].map(({ length }) => String(length)),
      ]),
    });
    const markdown = () => verdictsMarkdown(verdicts);
    await printResult(context, verdicts, { format: options.output, text, table, markdown });
    if (verdicts.some(({ verdict }) => verdict !== 'same')) context.exitWith(2);
  } finally {
    await cluster?.close();
  }
};
