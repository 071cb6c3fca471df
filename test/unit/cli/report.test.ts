import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import type { SimulationRuns } from '#lib/foresight/simulate/runs/simulate-runs.ts';
import { passRecordOf, RECORD_HEADER } from '#lib/loop/record/pass-record.ts';
import { repository } from '#test/architecture/repository.ts';
import { runInPage } from '#test/unit/foresight/page/runs.ts';
import { podSetOf, RunningCluster } from '#test/unit/support/foresight-cluster.ts';
import { ran } from './run-cli.ts';
import { virtualCluster } from './virtual-cluster.ts';

const CONFIG = `--config ${join(repository, 'reconcile.config.ts')}`;

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'report-'));
  const { metadata, ...rest } = podSetOf(2);
  const three = { ...rest, metadata, spec: { replicas: 3 } };
  await writeFile(join(cwd, 'three.yaml'), JSON.stringify(three));
  await writeFile(join(cwd, 'nothing.yaml'), '---\n');
  const other = JSON.stringify(join(repository, 'constructs/immortal-container/kind.ts'));
  const config = `import { immortalContainer } from ${other};\nexport default { kinds: [immortalContainer] };\n`;
  await writeFile(join(cwd, 'other.ts'), config);
});
afterAll(async () => rm(cwd, { recursive: true, force: true }));

/** The run in the page that a command writes, and the result of the command. */
const reported = async (line: string, more: object = {}): Promise<ReportRun & { readonly code: number }> => {
  const { code, stderr } = await ran(`${line} ${CONFIG} --report page.html`, { cwd, ...more });
  expect(stderr).toContain('Report: page.html\n');
  return { ...runInPage(await readFile(join(cwd, 'page.html'), 'utf8')), code };
};

const written = ({ events, objects }: ReportRun): readonly string[] =>
  events.map(({ effect, object, why }) => `${effect} ${objects[object ?? -1]?.kind} ${why ?? ''}`.trim());

describe('--report', () => {
  it('of simulate writes the run with its writes and reasons', async () => {
    const run = await reported('simulate three.yaml');
    expect(run).toMatchObject({ verb: 'simulate', code: 0, durationMs: expect.any(Number) });
    expect(written(run).filter((text) => text === 'created Pod Missing')).toHaveLength(3);
  });

  it('of simulate --runs writes the run with the fewest ready pods, and a histogram of all runs', async () => {
    const script = join(repository, 'test/examples/simulate/bad-hour.yaml');
    const { code, stdout } = await ran(`simulate --script ${script} ${CONFIG} --runs 4 -o json`, { cwd });
    const { resources } = JSON.parse(stdout) as SimulationRuns;
    expect(code).toBe(0);
    const run = await reported(`simulate --script ${script} --runs 4`);
    const [worst] = resources;
    expect(run.facts).toEqual(
      expect.arrayContaining([
        expect.stringContaining('4 runs'),
        expect.stringContaining(`seed ${worst?.worst?.seed}`),
      ]),
    );
    expect(run.histograms?.map(({ bars }) => bars.reduce((sum, [, count]) => sum + count, 0))).toEqual([4, 4]);
    expect(run.histograms?.[0]?.bars.at(0)).toEqual([String(worst?.worst?.ready), worst?.histogram[0]?.runs]);
  });

  it('of plan writes the change, and then the writes with the change as their cause', async () => {
    const run = await reported('plan -f three.yaml --against nothing.yaml');
    expect([run.verb, run.code, run.durationMs]).toEqual(['plan', 2, 0]);
    expect(written(run).slice(0, 4)).toEqual(['created PodSet', ...Array(3).fill('created Pod Missing')]);
    expect(run.events.slice(1, 4).map(({ cause, owner }) => [cause, owner])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(run.events[1]?.fields?.some(([path]) => path.startsWith('spec.containers'))).toBe(true);
  });

  it('of plan begins with the existing object and all of its fields', async () => {
    await writeFile(join(cwd, 'two.yaml'), JSON.stringify(podSetOf(2)));
    const { events } = await reported('plan -f three.yaml --against two.yaml');
    expect(events.slice(0, 2).map(({ sort, effect, object }) => [sort, effect, object])).toEqual([
      ['known', 'created', 0],
      ['change', 'changed', 0],
    ]);
    expect(events[0]?.fields).toContainEqual(['spec.template.spec.containers[name=web].image', null, 'web:1']);
  });

  it('of plan with a horizon writes the times of the writes', async () => {
    const { durationMs, events } = await reported('plan -f three.yaml --against nothing.yaml --horizon 1h');
    expect(durationMs).toBeGreaterThan(0);
    expect(events.map(({ atMs }) => atMs)).toEqual(events.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  });

  it('of plan shows the words of the API server for a refused change', async () => {
    const refused = { ...podSetOf(-1) };
    await writeFile(join(cwd, 'minus.yaml'), JSON.stringify(refused));
    const { code, events } = await reported('plan -f minus.yaml --against nothing.yaml');
    expect([code, events[0]?.isBad]).toEqual([1, true]);
    expect(events[0]?.what).toMatch(/^refused: .*spec\.replicas/);
  });

  it('of check writes the steps to a failure', async () => {
    const bad = "export const invariants = () => [{ name: 'never', check: () => 'always' }];\n";
    await writeFile(join(cwd, 'never.ts'), bad);
    const run = await reported('check PodSet three.yaml --invariants never.ts --states 5 --schedules 1');
    expect([run.verb, run.code]).toEqual(['check', 2]);
    expect(run.title).toContain('never: always');
    const none = await reported('check PodSet three.yaml --states 5 --schedules 1');
    expect([none.code, none.title]).toEqual([0, 'Nothing found']);
  });

  it('of upgrade preview writes the first writes of the new build', async () => {
    const dump = {
      ...podSetOf(1),
      metadata: { ...podSetOf(1).metadata, namespace: 'default', uid: '1-2', resourceVersion: '5', generation: 1 },
    };
    await writeFile(join(cwd, 'dump.yaml'), JSON.stringify(dump));
    const run = await reported('upgrade preview --from other.ts --against dump.yaml');
    expect([run.verb, run.code]).toEqual(['upgrade preview', 2]);
    expect(written(run)).toContain('created Pod Missing');
    expect(run.facts.join('\n')).toContain('PodSet: 1 of 1 object touched');
    expect(run.events[0]).toMatchObject({ sort: 'known', object: 0, what: 'exists' });
  });

  it('of replay writes each pass, and marks passes with another answer', async () => {
    const lines = [JSON.stringify(RECORD_HEADER)];
    const cluster = await RunningCluster.start([podSet], [podSetOf(3)], {
      onDecision: (decision) => void lines.push(JSON.stringify(passRecordOf(decision, lines.length))),
    });
    await cluster.run(10_000);
    await cluster.stop();
    const changed = lines.map((line) => line.replace('"reason":"Missing"', '"reason":"Lost"'));
    await writeFile(join(cwd, 'passes.jsonl'), `${changed.join('\n')}\n`);
    const { code, events, objects } = await reported('replay passes.jsonl');
    expect([code, events.filter(({ sort }) => sort === 'pass').length, objects]).toEqual([
      2,
      lines.length - 1,
      [{ kind: 'PodSet', namespace: 'default', name: 'web' }],
    ]);
    expect(events.find(({ isBad }) => isBad)?.what).toContain('another answer than recorded');
  });

  it('of explain writes causes and the next pass', async () => {
    const podSets = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      plural: 'podsets',
      scope: 'Namespaced',
    } as const;
    const virtual = await virtualCluster((user) => void user.create(podSets, podSetOf(1)));
    const { verb, title, events } = await reported('explain podset/web', virtual);
    expect([verb, title]).toEqual(['explain', 'PodSet/web is ready']);
    expect(events.filter(({ isBad }) => isBad)).toEqual([]);
  });

  it('refuses a file of another format before any work', async () => {
    const { code, stderr } = await ran(`plan -f missing.yaml ${CONFIG} --report page.pdf`, { cwd });
    expect([code, stderr]).toEqual([
      64,
      'cdk8s-reconcile: --report is "page.pdf": reports are HTML; name a file that ends with .html\n',
    ]);
  });
});
