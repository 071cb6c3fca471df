import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { passRecordOf, RECORD_HEADER } from '#lib/loop/record/pass-record.ts';
import { repository } from '#test/architecture/repository.ts';
import { runInPage } from '#test/unit/foresight/page/runs.ts';
import { podSetOf, RunningCluster } from '#test/unit/support/foresight-cluster.ts';
import { type Ran, ran } from './run-cli.ts';

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'replay-'));
  const lines = [JSON.stringify(RECORD_HEADER)];
  const cluster = await RunningCluster.start([podSet], [podSetOf(3)], {
    onDecision: (decision) => void lines.push(JSON.stringify(passRecordOf(decision, lines.length))),
  });
  await cluster.run(10_000);
  await cluster.stop();
  await writeFile(join(cwd, 'passes.jsonl'), `${lines.join('\n')}\n`);
  const timed = lines.map((line, pass) => line.replace(/"at":"[^"]*"/, `"at":"2026-11-22T12:00:${10 + pass}.000000Z"`));
  await writeFile(join(cwd, 'timed.jsonl'), `${timed.join('\n')}\n`);
  const changed = lines.map((line) => line.replace('"reason":"Missing"', '"reason":"Lost"'));
  await writeFile(join(cwd, 'changed.jsonl'), `${changed.join('\n')}\n`);
  const [header, ...passes] = changed.map((line) => JSON.parse(line) as object);
  const lost = passes.map((pass, index) => ({ ...pass, ...(index === 1 && { unreplayable: 'TooLarge' }) }));
  await writeFile(join(cwd, 'lost.jsonl'), [header, ...lost].map((line) => `${JSON.stringify(line)}\n`).join(''));
});

afterAll(async () => rm(cwd, { recursive: true, force: true }));

const replayed = async (words: string): Promise<Ran> =>
  ran(`replay --config ${join(repository, 'reconcile.config.ts')} ${words}`, { cwd });

describe('the command replay', () => {
  it('counts one pass in the singular', async () => {
    expect((await replayed('passes.jsonl --pass 1')).stdout).toMatch(/\n1 pass replayed, 0 with another answer/);
  });

  it('ends with 0 when every answer is the recorded one', async () => {
    const { stdout, code } = await replayed('passes.jsonl');
    expect(stdout).toMatch(/^\d+ passes replayed, 0 with another answer than recorded\.\n$/);
    expect(code).toBe(0);
  });

  it('shows what one pass decided, and why', async () => {
    const { stdout } = await replayed('passes.jsonl --pass 1 --object podset/default/web');
    expect(stdout).toMatch(/^Pass 1 of PodSet default\/web at 2026-/);
    expect(stdout).toMatch(/\n {2}\+ Pod web-\w{5} \(Missing\)\n/);
    expect(stdout).toMatch(/The answer is the recorded one\.\n/);
  });

  it('ends with 2 and says where an answer differs', async () => {
    const { stdout, code } = await replayed('changed.jsonl');
    expect(stdout).toMatch(/steps\[.*\]: create \(Lost\) → create \(Missing\)/);
    expect(code).toBe(2);
  });

  it('ends with 1 when a pass cannot be replayed, whatever the others say', async () => {
    const { stdout, code } = await replayed('lost.jsonl');
    expect(stdout).toMatch(/ with another answer than recorded\. 1 cannot be replayed\.\n$/);
    expect(code).toBe(1);
  });

  it('ends with 130 and without a result when it is interrupted', async () => {
    const line = `replay --config ${join(repository, 'reconcile.config.ts')} passes.jsonl`;
    expect(await ran(line, { cwd, signal: AbortSignal.abort() })).toEqual({ code: 130, stdout: '', stderr: '' });
  });

  it('shows an object at a moment: its spec, its children, what changed, and the decision', async () => {
    const { stdout, code } = await replayed('timed.jsonl --at 2026-11-22T12:00:12.9Z --object podset/default/web');
    const [head, ...lines] = stdout.split('\n');
    expect(head).toBe('PodSet default/web at 2026-11-22T12:00:12.000000Z (pass 2)');
    expect(lines).toContain('    replicas: 3');
    expect(lines.filter((line) => /^ {4}Pod web-\w{5}: Pending/.test(line))).toHaveLength(3);
    expect(lines).toContain('  changed since pass 1');
    expect(lines.filter((line) => /^ {4}Pod web-\w{5} appeared$/.test(line))).toHaveLength(3);
    expect(lines.filter((line) => /^ {4}= Pod web-\w{5} \(Kept\)$/.test(line))).toHaveLength(3);
    expect(code).toBe(0);
  });

  it('shows the fields of a child that changed, and the first pass without a cause', async () => {
    const { stdout: last } = await replayed('timed.jsonl --at 2026-11-22T12:00:16Z');
    expect(last).toMatch(/\n {4}Pod web-\w{5} changed\n {6}spec\.nodeName: nothing → node-1\n/);
    const { stdout: first } = await replayed('timed.jsonl --at 2026-11-22T12:00:11Z');
    expect(first).toContain('  children: none\n  no earlier pass of this resource is recorded\n  decision: ');
  });

  it('shows the past without the kinds of the project', async () => {
    const { stdout, code } = await ran('replay passes.jsonl --at 2099-01-01T00:00:00Z -o json', { cwd });
    const [shown] = JSON.parse(stdout) as readonly { readonly children: readonly object[] }[];
    expect(shown?.children.length).toBeGreaterThanOrEqual(3);
    expect(code).toBe(0);
  });

  it('writes a page of the passes up to a moment, with the fields of the resource', async () => {
    const { stderr, code } = await ran('replay timed.jsonl --at 2026-11-22T12:00:12.9Z --report past.html', { cwd });
    expect([code, stderr]).toEqual([0, 'Report: past.html\n']);
    const { title, facts, events } = runInPage(await readFile(join(cwd, 'past.html'), 'utf8'));
    expect([title, facts]).toEqual(['Recorded passes until 2026-11-22T12:00:12.000000Z', ['2 passes']]);
    expect(events.map(({ who, sort, effect }) => [who, sort, effect])).toEqual([
      ['', 'known', 'created'],
      ['pass 1', 'pass', 'changed'],
      ['pass 2', 'pass', 'changed'],
    ]);
    expect(events[0]?.fields).toContainEqual(['spec.replicas', null, '3']);
    expect(events[1]?.what).toMatch(/; create Pod web-\w{5} \(Missing\)/);
  });

  it.each([
    ['passes.jsonl --at yesterday', /--at is "yesterday": it must be a time such as 2026-11-22T14:38:44Z/, 64],
    ['passes.jsonl --at 2026-13-01T00:00:00Z', /--at is "2026-13-01T00:00:00Z": it must be a time/, 64],
    ['passes.jsonl --at 2099-01-01T00:00:00Z --report past.pdf', /--report is "past\.pdf": reports are HTML/, 64],
    ['passes.jsonl --at 2099-01-01T00:00:00Z --pass 1', /--at and --pass cannot be used together/, 64],
    ['passes.jsonl --at 2001-01-01T00:00:00Z', /shows nothing at 2001-.*: its first pass is at 2026-/, 1],
    ['passes.jsonl --at 2099-01-01T00:00:00Z --object podset/default/db', /it has no pass of podset\/default\/db/, 1],
  ])('refuses %s', async (words, message, expected) => {
    const { stderr, code } = await replayed(words);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });

  it.each([
    ['nowhere.jsonl', /Cannot read nowhere\.jsonl: there is no such file/, 1],
    ['.', /Cannot read \.: it is a folder; name a file/, 1],
    ['passes.jsonl --pass none', /--pass is "none"; it must be a whole number, 1 or more/, 64],
    [
      'passes.jsonl --pass 4711 --object podset/default/db',
      /no pass matches --pass 4711 and --object podset\/default\/db; passes\.jsonl has the passes 1 to \d+ over PodSet\/default\/web\n/,
      1,
    ],
    ['passes.jsonl --object podset/default/db', /no pass matches --object podset\/default\/db; passes\.jsonl has/, 1],
  ])('refuses %s', async (words, message, expected) => {
    const { stderr, code } = await replayed(words);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});
