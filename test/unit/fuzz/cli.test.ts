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
import { oddTexts, usually } from './odd-json.ts';

const CONFIG = `export { default } from ${JSON.stringify(join(repository, 'reconcile.config.ts'))};\n`;

const GATE = join(repository, 'test/examples/simulate/gate.yaml');
const DEPLOYER = join(repository, 'test/manifests/deployer.yaml');

const manifest = `apiVersion: app.example.com/v1alpha1
kind: PodSet
metadata: { name: web, namespace: default, labels: { a: b } }
spec:
  replicas: 2
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: main, image: busybox }] } }
`;

let cwd: string;
let virtual: VirtualCluster;
/** A record of passes. */
let passes: string;

const recordedPasses = async (): Promise<string> => {
  const recorded = [JSON.stringify(RECORD_HEADER)];
  const cluster = await RunningCluster.start([podSet], [podSetOf(1)], {
    onDecision: (decision) => void recorded.push(JSON.stringify(passRecordOf(decision, recorded.length))),
  });
  await cluster.run(10_000);
  await cluster.stop();
  return `${recorded.join('\n')}\n`;
};

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'cli-input-'));
  await writeFile(join(cwd, 'reconcile.config.ts'), CONFIG);
  await writeFile(join(cwd, 'set.yaml'), manifest);
  await writeFile(join(cwd, 'nothing.yaml'), '---\n');
  await writeFile(join(cwd, 'bad.yaml'), 'a: [\n');
  await writeFile(join(cwd, 'gate.yaml'), await readFile(GATE, 'utf8'));
  passes = await recordedPasses();
  await writeFile(join(cwd, 'passes.jsonl'), passes);
  const metadata = { name: 'nginx', namespace: 'default' };
  const deployer = { ...parse(await readFile(DEPLOYER, 'utf8')), metadata };
  virtual = await virtualCluster(
    (user) => {
      user.create({ apiVersion: 'app.example.com/v1alpha1', plural: 'podsets' }, parse(manifest));
      user.create({ apiVersion: 'deploy.example.com/v1alpha1', plural: 'deployers' }, deployer);
    },
    { answers: { '/version': { code: 200, body: { gitVersion: 'v1.33.1' }, date: undefined } } },
  );
});

afterAll(() => rm(cwd, { recursive: true, force: true }));

const run = async (words: readonly string[], more: Surroundings): Promise<Ran> => {
  const { context, written } = recordingContext({ cwd, cluster: virtual.cluster, now: virtual.now, ...more });
  const code = await runCli(words, context);
  return { ...written(), code };
};

/** Exit codes: success, an error, a difference that was found, an interruption, and a line that cannot be parsed. */
const CODES: ReadonlySet<number> = new Set([0, 1, 2, 64, 130]);

/**
 * Results with the exit code 1: a plan of a change that the API server refuses, a preview of resources in an unknown version, a
 * replay of a pass that was not recorded, and a failed check of doctor.
 */
const NEGATIVE_RESULT =
  /would be refused\n {2}4\d\d \S|cannot be read: the changes are UNKNOWN|It cannot be replayed: \w|^failed +\w|"?state"?: "?failed\b/m;

const DEFECT = /a mistake of this program|\n\s+at |TypeError|RangeError|\[object|Cannot read prop/;

/** What is wrong with the output of a command; undefined for a good one. */
const faultOf = ({ code, stdout, stderr }: Ran): string | undefined => {
  if (!CODES.has(code)) return `the code ${code}`;
  if (DEFECT.test(stderr)) return stderr;
  const hasReason = stderr.length >= 10 || NEGATIVE_RESULT.test(stdout);
  return (code === 1 || code === 64) && !hasReason ? `no message: ${stderr}` : undefined;
};

/** Whether a command has a result: without differences, with differences, or until its interruption. */
const isResult = ({ code }: Ran): boolean => [0, 2, 130].includes(code);

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
  'deployer/nginx',
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
  'gate.yaml',
  'passes.jsonl',
  'reconcile.config.ts',
  'page.html',
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

/** Placeholders, such as `<file>`, with a value that is valid in most commands, and others of its kind. */
const VALUES: readonly (readonly [placeholder: RegExp, valid: readonly string[], others: fc.Arbitrary<string>])[] = [
  [/^manifests|path/, ['set.yaml'], files],
  [/^file$/, ['passes.jsonl'], files],
  [/config/, ['reconcile.config.ts'], files],
  [/--script/, ['gate.yaml'], files],
  [/file/, ['page.html', 'picture.svg'], files],
  [/number|time|duration|port/, ['1', '10m'], amounts],
  [/kind>|object/, ['podset/web', 'deployer/nginx'], objects],
  [/kind/, ['PodSet'], objects],
  [/shell/, ['bash'], oddTexts],
];

/** Values for a placeholder: two thirds are valid in most commands. */
const valuesOf = (placeholder: string): fc.Arbitrary<string> => {
  const [, valid, others] = VALUES.find(([pattern]) => pattern.test(placeholder)) ?? ['', ['default'], oddTexts];
  return usually(2, fc.constantFrom(...valid), usually(4, others, oddTexts));
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
  const known = argChoices === undefined ? valuesOf(flags) : usually(4, fc.constantFrom(...argChoices), oddTexts);
  const given = fc.oneof(
    known.map((value) => [name, value]),
    known.map((value) => [`${name}=${value}`]),
  );
  return usually<readonly string[]>(8, given, fc.constant([name]));
};

const extraWords = fc.oneof(oddTexts, fc.constantFrom('--', '--nope', '-', '-x', '--help', '--no'));

const wordsOf = ({ path, command }: Leaf): fc.Arbitrary<readonly string[]> =>
  fc
    .tuple(
      fc.tuple(...command.registeredArguments.map((argument) => valuesOf(argument.name()))),
      fc
        .subarray([...command.options], { maxLength: Math.min(3, command.options.length) })
        .map((some) => [...command.options.filter((option) => option.mandatory && !some.includes(option)), ...some])
        .chain((all) => fc.tuple(...all.map(optionWords))),
      usually<readonly string[]>(4, fc.constant([]), fc.tuple(extraWords)),
    )
    .map(([given, options, extra]) => [...path, ...given, ...options.flat(), ...extra]);

const lines = (): fc.Arbitrary<readonly string[]> => {
  const { context } = recordingContext();
  const leaves = Object.values(
    Object.groupBy(leavesOf(createProgram(context, '0'), []), ({ path }) => String(path[0])),
  );
  return fc
    .constantFrom(...leaves)
    .chain((alike = []) => fc.constantFrom(...alike))
    .chain(wordsOf);
};

/** Commands that read a file, with a valid text for it. */
const contents: readonly (readonly [line: string, valid: () => Promise<string>])[] = [
  ['simulate in --duration 1m', async () => manifest],
  ['simulate set.yaml --duration 10m --script in', async () => readFile(GATE, 'utf8')],
  ['plan -f in --against set.yaml', async () => manifest],
  ['plan -f set.yaml --against in', async () => manifest],
  ['plan -f in --against set.yaml --delete', async () => manifest],
  ['upgrade preview --from reconcile.config.ts --against in', async () => manifest],
  ['check PodSet in --schedules 1 --states 1', async () => manifest],
  ['crd diff --from in', async () => JSON.stringify(podSetCrd())],
  ['replay in', async () => passes],
];

const podSetCrd = (): Json => compileCrd(podSet) as unknown as Json;

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
    let [all, results] = [0, 0];
    const property = fc.asyncProperty(lines(), async (words) => {
      const result = await run(words, { signal: AbortSignal.timeout(1000), input: manifest });
      expect(faultOf(result)).toBeUndefined();
      all += 1;
      const isTrivial = /^_*complet/.test(String(words[0])) || result.stdout.startsWith('Usage');
      results += isResult(result) && !isTrivial ? 1 : 0;
    });
    await fc.assert(property, { numRuns: runs(40) });
    // With fewer results, the lines would show little about the commands behind the parser.
    expect(results).toBeGreaterThanOrEqual(all / 20);
  });

  it.for(contents)('`%s` gives a result or a clear error for any contents of its file', async ([line, valid]) => {
    const ranWith = async (text: string): Promise<Ran> => {
      await writeFile(join(cwd, 'in'), text);
      return run(line.split(' '), { signal: AbortSignal.timeout(60_000) });
    };
    const text = await valid();
    expect(await ranWith(text)).toSatisfy(isResult);
    const property = fc.asyncProperty(textsLike(text), async (other) => {
      expect(faultOf(await ranWith(other))).toBeUndefined();
    });
    const examples = isQuick(line) ? corpus.map((one): [string] => [one]) : [];
    await fc.assert(property, { numRuns: runs(2) + examples.length, examples });
  });
});
