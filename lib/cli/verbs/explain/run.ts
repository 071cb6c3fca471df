import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ageOf } from '../../objects/age.ts';
import { type Member, readFamily } from '../../objects/family.ts';
import { explained, resourcesFor } from '../../objects/find.ts';
import { readinessOf } from '../../objects/readiness.ts';
import { namedObject } from '../../objects/resources.ts';
import { hiddenLines } from '../../objects/rows.ts';
import type { CliContext } from '../../shell/context.ts';
import type { ProjectQueryOptions, ReportOptions } from '../../shell/options.ts';
import { printable, printResult, wrapped } from '../../shell/output.ts';
import { writeReportPage } from '../../shell/report-page.ts';
import type { Cause } from './cause.ts';
import { causesOf, warningsOf } from './causes.ts';
import type { Explanation } from './explanation.ts';
import type { NextPass } from './next-pass.ts';

const allIn = (member: Member): readonly ApiObject[] => [member.object, ...member.children.flatMap(allIn)];

const nextOf = (causes: readonly Cause[]): readonly string[] => {
  const steps = [...new Set(causes.map(({ next }) => next).filter((next) => next !== ''))];
  if (steps.length > 0 || causes.length === 0) return steps;
  return ['wait: the operator is at work; rollout status shows when it has arrived'];
};

const SHOWN_CAUSES = 10;

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${title}:\n${lines.join('')}`;

const passLines = (pass: NextPass | undefined, columns: number): readonly string[] => {
  if (pass === undefined) return [];
  if (pass.unknown !== undefined) return [wrapped(`it cannot be computed here: ${pass.unknown}`, columns, '  ')];
  if (pass.steps.length === 0) return [wrapped('nothing: all children are up to date', columns, '  ')];
  return pass.steps.map((step) => wrapped(step, columns, '  '));
};

const isRepeated = (causes: readonly Cause[], words: string, of: string): boolean =>
  causes.some(({ where, why }) => where === of && why.includes(words));

const textOf = (context: CliContext, explanation: Explanation): string => {
  const { object, isReady, causes, nextPass, next } = explanation;
  const message = isRepeated(causes, explanation.message, explanation.object) ? '' : explanation.message;
  const warnings = explanation.warnings.filter(
    (event) => !isRepeated(causes, `${event.reason}: ${event.message}`, event.where),
  );
  const columns = context.isTerminal ? context.columns : Number.POSITIVE_INFINITY;
  const verdict = isReady ? 'is ready' : 'is not ready';
  const head = context.color(isReady ? 'green' : 'yellow', verdict);
  const said = message === '' ? '' : `: ${printable(message).replaceAll('\n', ' ')}`;
  const rest = causes.length - SHOWN_CAUSES;
  const causeLines = [
    ...causes.slice(0, SHOWN_CAUSES).map(({ where, why }) => wrapped(`${where}: ${why}`, columns, '  ')),
    ...(rest > 0 ? [`  and ${rest} more\n`] : []),
  ];
  const warningLines = warnings.map(({ where, reason, message: note, at }) =>
    wrapped(`${ageOf(at, context.now())} ago, ${where}: ${reason}: ${note}`, columns, '  '),
  );
  const nextLines = next.map((step) => wrapped(step, columns, '  '));
  return [
    wrapped(`${object} ${verdict}${said}`, columns).replace(verdict, head),
    section('Because', causeLines),
    section('Warnings', warningLines),
    section('The operator would now', passLines(nextPass, columns)),
    ...Object.entries(explanation.extensions ?? {}).map(([name, each]) =>
      section(`The operator would now, for ${name}`, passLines(each, columns)),
    ),
    section('Next', nextLines),
  ].join('');
};

/**
 * Explains why an object is not ready, from its conditions, children, events and next pass.
 *
 * @param context - the process
 * @param word - `<kind>/<name>`
 * @param options - the options that the user typed
 */
export const explainObject = async (
  context: CliContext,
  word: string,
  options: ProjectQueryOptions & ReportOptions,
): Promise<void> => {
  const known = await resourcesFor(context, options);
  const cluster = await context.connect(options);
  try {
    const named = namedObject(word, { known, namespace: cluster.namespace });
    const family = await readFamily(cluster.api, named, known).catch((error: unknown) => {
      throw explained(error, named);
    });
    for (const line of hiddenLines(family)) context.stderr.write(`${printable(line)}\n`);
    const causes = causesOf(family.root);
    const warnings = await warningsOf(
      cluster.api,
      allIn(family.root),
      ({ message }) => void context.stderr.write(`${printable(`events are not shown: ${message}`)}\n`),
    );
    const { definition, extensions = [] } = named.resource;
    const { nextPass } = await import('./next-pass.ts');
    const given = { family, now: context.now(), cwd: context.cwd };
    const pass = definition && (await nextPass(cluster.api, definition, given));
    const passes = await Promise.all(
      extensions.map(async (each) => [each.kind, await nextPass(cluster.api, each, given)] as const),
    );
    const { isReady, message, reason } = readinessOf(family.root.object);
    const { kind, metadata } = family.root.object;
    const explanation: Explanation = {
      object: `${kind}/${metadata.name}`,
      isReady: isReady && causes.length === 0,
      message: message || reason,
      causes,
      warnings,
      ...(pass && { nextPass: pass }),
      ...(passes.length > 0 && { extensions: Object.fromEntries(passes) }),
      next: nextOf(causes),
    };
    await writeReportPage(context, options.report, async () =>
      (await import('./explanation-run.ts')).explanationRun(explanation),
    );
    const table = () => ({
      columns: ['WHERE', 'WHY', 'NEXT'],
      rows: causes.map(({ where, why, next }) => [where, why, next]),
    });
    await printResult(context, explanation, {
      format: options.output,
      text: () => textOf(context, explanation),
      table,
    });
  } finally {
    await cluster.close();
  }
};
