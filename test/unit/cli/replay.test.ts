import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { passRecordOf, RECORD_HEADER } from '#lib/loop/record/pass-record.ts';
import { repository } from '#test/architecture/repository.ts';
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
  it('ends with 0 when every answer is the recorded one', async () => {
    const { stdout, code } = await replayed('passes.jsonl');
    expect(stdout).toMatch(/^\d+ passes replayed, 0 with another answer than recorded\.\n$/);
    expect(code).toBe(0);
  });

  it('tells what one pass decided, and why', async () => {
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

  it.each([
    ['nowhere.jsonl', /Cannot read nowhere\.jsonl: there is no such file/],
    ['.', /Cannot read \.: it is a folder; name a file/],
    ['passes.jsonl --pass none', /--pass is "none": it must be a number/],
    ['passes.jsonl --pass 4711', /holds the passes 1 to \d+ over PodSet\/default\/web, and none that is meant/],
  ])('refuses %s', async (words, message) => {
    const { stderr, code } = await replayed(words);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });
});
