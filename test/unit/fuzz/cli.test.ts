import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { podSet } from '#constructs/pod-set/kind.ts';
import { createProgram, runCli } from '#lib/cli/program.ts';
import type { Json } from '#lib/json.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { passRecordOf, RECORD_HEADER } from '#lib/loop/record/pass-record.ts';
import { repository } from '#test/architecture/repository.ts';
import { runs } from '#test/properties.ts';
import { type Ran, recordingContext, type Surroundings } from '#test/unit/cli/run-cli.ts';
import { type VirtualCluster, virtualCluster } from '#test/unit/cli/virtual-cluster.ts';
import { podSetOf, RunningCluster } from '#test/unit/support/foresight-cluster.ts';
import { damagedTexts } from './damaged-text.ts';
import { mutated } from './mutated-json.ts';
import { oddTexts } from './odd-json.ts';

const CONFIG = join(repository, 'reconcile.config.ts');

const manifest = `apiVersion: app.example.com/v1alpha1
kind: PodSet
metadata: { name: web, namespace: default, labels: { a: b } }
spec:
  replicas: 2
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: main, image: busybox }] } }
`;

let cwd: string;
let virtual: VirtualCluster;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'cli-input-'));
  await writeFile(join(cwd, 'set.yaml'), manifest);
  await writeFile(join(cwd, 'nothing.yaml'), '---\n');
  await writeFile(join(cwd, 'bad.yaml'), 'a: [\n');
  virtual = await virtualCluster((user) => {
    const podSets = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      plural: 'podsets',
      scope: 'Namespaced',
    } as const;
    user.create(podSets, parse(manifest) as never);
  });
});

afterAll(() => rm(cwd, { recursive: true, force: true }));

const run = async (words: readonly string[], more: Surroundings): Promise<Ran> => {
  const { context, written } = recordingContext({ cwd, cluster: virtual.cluster, now: virtual.now, ...more });
  const code = await runCli(words, context);
  return { ...written(), code };
};

/** Exit codes: success, an error, a difference that was found, an interruption, and a line that cannot be parsed. */
const CODES: ReadonlySet<number> = new Set([0, 1, 2, 64, 130]);

/** Results with the exit code 1: a plan of a change that the API server refuses, and a replay of a pass that was not recorded. */
const NEGATIVE_RESULT = /would be refused\n {2}4\d\d \S|It cannot be replayed: \w/;

const DEFECT = /a mistake of this program|\n\s+at |TypeError|RangeError|\[object|Cannot read prop/;

/** What is wrong with the output of a command; undefined for a good one. */
const faultOf = ({ code, stdout, stderr }: Ran): string | undefined => {
  if (!CODES.has(code)) return `the code ${code}`;
  if (DEFECT.test(stderr)) return stderr;
  const hasReason = stderr.length >= 10 || NEGATIVE_RESULT.test(stdout);
  return (code === 1 || code === 64) && !hasReason ? `no message: ${stderr}` : undefined;
};

/** Commands that start processes, or write projects and images. */
const NOT_HERE: ReadonlySet<string> = new Set(['dev', 'run', 'init', 'kind', 'add', 'image']);

interface Leaf {
  readonly path: readonly string[];
  readonly command: Command;
}

const leavesOf = (command: Command, path: readonly string[]): readonly Leaf[] =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands
        .filter((inner) => !NOT_HERE.has(inner.name()))
        .flatMap((inner) => leavesOf(inner, [...path, inner.name()]));

const objects = fc.constantFrom(
  'podset/web',
  'podset/none',
  'deploy/web',
  'x/y',
  '/',
  'podset/',
  'a/b/c',
  'PodSet',
  'podset',
);
const files = fc.constantFrom(
  'set.yaml',
  'nothing.yaml',
  'bad.yaml',
  'none.yaml',
  '.',
  '-',
  '/dev/null',
  'x'.repeat(300),
  'a\0b',
);
const amounts = fc.constantFrom('1', '0', '-1', 'x', '1e9', '5m', '1h', '9'.repeat(25), '0.5s', '');

/** Values for a placeholder, such as `<file>`. */
const valuesOf = (placeholder: string): fc.Arbitrary<string> => {
  if (/file|path|manifests|folder/.test(placeholder)) return fc.oneof(files, oddTexts);
  if (/number|time|duration|port/.test(placeholder)) return amounts;
  if (/kind|object/.test(placeholder)) return fc.oneof(objects, oddTexts);
  return fc.oneof(fc.constantFrom('default', 'json', 'yaml', 'table', 'crash'), oddTexts);
};

const optionWords = ({
  long,
  short,
  flags,
  required,
  optional,
  argChoices,
}: Option): fc.Arbitrary<readonly string[]> => {
  const name = long ?? short ?? '';
  if (!required && !optional) return fc.constant([name]);
  const known = argChoices === undefined ? valuesOf(flags) : fc.oneof(fc.constantFrom(...argChoices), oddTexts);
  return fc.oneof(
    known.map((value) => [name, value]),
    known.map((value) => [`${name}=${value}`]),
    fc.constant([name]),
  );
};

const wordsOf = ({ path, command }: Leaf): fc.Arbitrary<readonly string[]> =>
  fc
    .tuple(
      fc.tuple(...command.registeredArguments.map((argument) => valuesOf(argument.name()))),
      fc
        .subarray([...command.options], { maxLength: Math.min(3, command.options.length) })
        .chain((some) => fc.tuple(...some.map(optionWords))),
      fc.option(fc.oneof(oddTexts, fc.constantFrom('--', '--nope', '-', '-x', '--help', '--no')), {
        nil: undefined,
        freq: 3,
      }),
    )
    .map(([given, options, extra]) => [...path, ...given, ...options.flat(), ...(extra === undefined ? [] : [extra])]);

const lines = (): fc.Arbitrary<readonly string[]> => {
  const { context } = recordingContext();
  const leaves = leavesOf(createProgram(context, '0'), []);
  return fc.constantFrom(...leaves).chain(wordsOf);
};

/** Commands that read a file, with a valid text for it. */
const contents: readonly (readonly [line: string, valid: () => Promise<string>])[] = [
  ['simulate in --duration 1m', async () => manifest],
  [
    'simulate set.yaml --duration 1m --script in',
    async () => readFile(join(repository, 'test/examples/simulate/gate.yaml'), 'utf8'),
  ],
  ['plan -f in --against set.yaml', async () => manifest],
  ['plan -f set.yaml --against in', async () => manifest],
  ['plan -f in --against set.yaml --delete', async () => manifest],
  ['upgrade preview --against in', async () => manifest],
  ['check PodSet in --schedules 1 --states 1', async () => manifest],
  ['crd diff --from in', async () => JSON.stringify(podSetCrd())],
  ['replay in', async () => passes],
];

const podSetCrd = (): Json => compileCrd(podSet) as unknown as Json;

let passes = '';
beforeAll(async () => {
  const recorded = [JSON.stringify(RECORD_HEADER)];
  const cluster = await RunningCluster.start([podSet], [podSetOf(1)], {
    onDecision: (decision) => void recorded.push(JSON.stringify(passRecordOf(decision, recorded.length))),
  });
  await cluster.run(10_000);
  await cluster.stop();
  passes = `${recorded.join('\n')}\n`;
});

const textsLike = (valid: string): fc.Arbitrary<string> => {
  const structured =
    valid.startsWith('{"') && valid.includes('\n')
      ? fc
          .tuple(
            ...valid
              .trimEnd()
              .split('\n')
              .slice(0, 3)
              .map((line) => mutated(JSON.parse(line) as Json)),
          )
          .map((all) => all.map((one) => JSON.stringify(one)).join('\n'))
      : mutated(parse(valid) as Json).map((value) => JSON.stringify(value));
  return fc.oneof({ weight: 3, arbitrary: structured }, { weight: 1, arbitrary: damagedTexts(valid) });
};

/** Texts of earlier failures, and values that JSON does not have. */
const corpus = [
  '['.repeat(20_000),
  '{"a":'.repeat(20_000),
  ...['!!binary aGk=', '!!set {a, b}', '!!omap [a: 1]', '!!timestamp 2001-12-14', '.nan', '.inf', '!x y'].map(
    (value) => `%YAML 1.1\n---\n${manifest.replace('a: b', `a: ${value}`)}`,
  ),
];

/** Whether a command only reads its file: manifests, and a script. */
const isQuick = (line: string): boolean => line.startsWith('crd ') || line.includes(' --script in');

describe('the command line', () => {
  it('gives a result or a clear error for any words', async () => {
    const property = fc.asyncProperty(lines(), async (words) => {
      const interrupt = AbortSignal.timeout(1000);
      expect(faultOf(await run(words, { signal: interrupt, input: manifest }))).toBeUndefined();
    });
    await fc.assert(property, { numRuns: runs(20) });
  });

  it.for(contents)('`%s` gives a result or a clear error for any contents of its file', async ([line, valid]) => {
    const property = fc.asyncProperty(textsLike(await valid()), async (text) => {
      await writeFile(join(cwd, 'in'), text);
      const words = [...line.split(' '), ...(line.startsWith('crd') ? [] : ['--config', CONFIG])];
      expect(faultOf(await run(words, { signal: AbortSignal.timeout(60_000) }))).toBeUndefined();
    });
    const examples = isQuick(line) ? corpus.map((text): [string] => [text]) : [];
    await fc.assert(property, { numRuns: runs(2) + examples.length, examples });
  });
});
