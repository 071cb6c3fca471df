import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { type ConfigOptions, type OutputOptions, withConfig, withExamples, withOutput } from '../options.ts';
import type { YamlFile } from '../yaml-file.ts';

interface Options extends ConfigOptions, OutputOptions {
  readonly script?: string;
  readonly picture?: string;
  readonly seed: string;
  readonly duration?: string;
  readonly namespace: string;
}

/** The files of manifests that a script applies, by the names that it gives them. */
const filesOf = async (script: unknown, folder: string, context: CliContext) => {
  const { readManifests } = await import('../manifests.ts');
  const { changes } = (script ?? {}) as { readonly changes?: unknown };
  const names = (Array.isArray(changes) ? changes : []).flatMap((change: { readonly apply?: unknown } | null) =>
    typeof change?.apply === 'string' ? [change.apply] : [],
  );
  const files = [...new Set(names)].map(async (name) => {
    const manifests = await readManifests([name], { ...context, cwd: folder });
    return [name, manifests.map(({ object }) => object)] as const;
  });
  return Object.fromEntries(await Promise.all(files));
};

const scriptOf = async ({ script, duration }: Options, context: CliContext) => {
  const more = duration === undefined ? {} : { duration };
  if (script === undefined) return { value: more, folder: context.cwd };
  const { readYamlFile } = await import('../yaml-file.ts');
  const file = await readYamlFile(script, context.cwd);
  // An empty file is a script without changes; what is no object is told by whoever reads the script.
  const isObject = typeof file.value === 'object' && file.value !== null && !Array.isArray(file.value);
  const value = isObject ? { ...file.value, ...more } : (file.value ?? more);
  return { value, file, folder: dirname(resolve(context.cwd, script)) };
};

/** Where in which file the mistakes of a script, or of the manifests, are. */
const told = async (
  error: unknown,
  { file, wheres }: { readonly file?: YamlFile | undefined; readonly wheres: readonly string[] },
): Promise<unknown> => {
  const { ConfigurationError, InvalidScriptError } = await import('#lib/errors.ts');
  if (!(error instanceof InvalidScriptError)) return error;
  const { issueText } = await import('../yaml-file.ts');
  const lines = error.issues.map((issue) => {
    const place = /^manifests\[(\d+)\]/.exec(issue.path)?.[1];
    if (place !== undefined)
      return `${wheres[Number(place)] ?? ''}: ${issue.message}${issue.fix === undefined ? '' : `; ${issue.fix}`}`;
    return file === undefined ? error.message : issueText(file, issue);
  });
  return new ConfigurationError(lines.join('\n'), { cause: error });
};

const simulated = async (context: CliContext, paths: readonly string[], options: Options): Promise<void> => {
  const { ConfigurationError } = await import('#lib/errors.ts');
  const seed = Number(options.seed);
  if (!Number.isSafeInteger(seed))
    throw new ConfigurationError(`--seed is "${options.seed}"; it must be a whole number`);
  const { kinds } = await (await import('../config.ts')).loadKinds(context, options);
  const { readManifests } = await import('../manifests.ts');
  const manifests = await readManifests(paths, context);
  const { value, file, folder } = await scriptOf(options, context);
  const files = await filesOf(value, folder, context);
  const { simulate } = await import('#lib/foresight/simulate/simulate.ts');
  const script = value as Parameters<typeof simulate>[0]['script'] & object;
  const objects = manifests.map(({ object }) => object);
  const report = await simulate({ kinds, manifests: objects, script, files, seed, namespace: options.namespace }).catch(
    async (error: unknown) => {
      throw await told(error, { file, wheres: manifests.map(({ where }) => where) });
    },
  );
  if (options.picture !== undefined) {
    const { pictureOf } = await import('#lib/foresight/picture/picture.ts');
    await writeFile(resolve(context.cwd, options.picture), pictureOf(report));
    context.stderr.write(`Drawn: ${options.picture}\n`);
  }
  const { printable, printResult } = await import('../output.ts');
  const { timelineText } = await import('#lib/foresight/simulate/timeline-text.ts');
  const tones = { user: 'bold', bad: 'red', dim: 'dim' } as const;
  const text = (): string =>
    timelineText(report, {
      ...(context.isTerminal && { columns: Math.max(context.columns, 40) }),
      paint: (words, tone) => context.color(tones[tone], printable(words)),
    });
  await printResult(context, report, { format: options.output, text });
};

/** `simulate`: what becomes of manifests and a script of changes, in virtual time. */
export const simulateCommand = (context: CliContext): Command =>
  withExamples(
    withOutput(
      withConfig(
        new Command('simulate')
          .summary('what becomes of manifests, hours in milliseconds')
          .description(
            'Applies manifests to a cluster in memory, lets a script of changes happen, and tells what the kinds make of it: as a timeline, as JSON, as a picture. Needs no cluster.',
          )
          .argument('[manifests...]', 'files, folders, - for stdin; applied at the start')
          .option('-s, --script <file>', 'what happens then, and when (docs/simulate.md)')
          .option('--picture <file>', 'draws an SVG of it')
          .option('--duration <time>', 'how long is simulated, such as 2h (default: until nothing happens any more)')
          .option('--seed <number>', 'the luck of pods and the waits of the operator', '1')
          .option('-n, --namespace <namespace>', 'of objects that name none', 'default'),
      ),
    ).action((manifests: readonly string[], options: Options) => simulated(context, manifests, options)),
    [
      ['simulate web.yaml', 'what is done first'],
      ['simulate web.yaml --script rollout.yaml --picture rollout.svg', 'what a rollout looks like'],
      ['simulate --script bad-day.yaml -o json', 'the same as data, of manifests that the script applies'],
    ],
  );
