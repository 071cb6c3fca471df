import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { readRecords } from '#lib/foresight/replay/read-records.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { openRecordFile } from '#lib/runtime/record/record-file.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { podSetOf, RunningCluster } from '#test/unit/support/foresight-cluster.ts';

const log = createLogger('silent');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'record-'));
});

afterAll(async () => rm(folder, { recursive: true, force: true }));

const decisions = async (): Promise<readonly DecidedPass[]> => {
  const all: DecidedPass[] = [];
  const cluster = await RunningCluster.start([podSet], [podSetOf(3)], { onDecision: (one) => void all.push(one) });
  await cluster.run(10_000);
  await cluster.stop();
  return all;
};

describe('openRecordFile()', () => {
  it('records passes that can be read again, for the eyes of the owner alone', async () => {
    const file = join(folder, 'passes.jsonl');
    const record = await openRecordFile({ file, log });
    const all = await decisions();
    all.forEach((decision) => record.onDecision(decision));
    await record.close();
    const read = readRecords(await readFile(file, 'utf8'), { name: file });
    expect(read.map(({ pass }) => pass)).toEqual(all.map((_, index) => index + 1));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('never keeps more than two files of the given size', async () => {
    const file = join(folder, 'ring.jsonl');
    const maxBytes = 50_000;
    const record = await openRecordFile({ file, maxBytes, log });
    const all = await decisions();
    for (let round = 0; round < 40; round += 1) {
      all.forEach((decision) => record.onDecision(decision));
      await record.close();
    }
    const sizes = await Promise.all([file, `${file}.1`].map(async (path) => (await stat(path)).size));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxBytes + 200);
    const [older, newer] = await Promise.all(
      [`${file}.1`, file].map(async (path) => readRecords(await readFile(path, 'utf8'), { name: path })),
    );
    expect(newer?.at(-1)?.pass).toBe(40 * all.length);
    expect(newer?.[0]?.pass).toBe((older?.at(-1)?.pass ?? 0) + 1);
  });

  it('keeps what the process before recorded, when it recorded anything, for the eyes of the owner alone', async () => {
    const file = join(folder, 'crash.jsonl');
    const [decision] = await decisions();
    if (!decision) throw new TypeError('Nothing was decided');
    const crashed = await openRecordFile({ file, log });
    crashed.onDecision(decision);
    await crashed.close();
    await chmod(file, 0o644);
    await openRecordFile({ file, log });
    await openRecordFile({ file, log });
    expect(readRecords(await readFile(`${file}.before`, 'utf8'), { name: file })).toHaveLength(1);
    expect(readRecords(await readFile(file, 'utf8'), { name: file })).toEqual([]);
    const modes = await Promise.all([file, `${file}.before`].map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o600, 0o600]);
  });

  it('keeps the name of a pass that is too large for the file', async () => {
    const file = join(folder, 'large.jsonl');
    const record = await openRecordFile({ file, maxBytes: 4000, log });
    const [decision] = await decisions();
    if (!decision) throw new TypeError('Nothing was decided');
    record.onDecision(decision);
    await record.close();
    const text = await readFile(file, 'utf8');
    expect(text.length).toBeLessThan(1000);
    expect(readRecords(text, { name: file })).toMatchObject([
      { pass: 1, kind: 'PodSet', key: 'default/web', unreplayable: expect.stringContaining('too long') as string },
    ]);
  });

  it('keeps the name of a pass that has no text because it is too large, and never makes a copy of it', async () => {
    const file = join(folder, 'huge.jsonl');
    const record = await openRecordFile({ file, log });
    const [decision] = await decisions();
    if (!decision) throw new TypeError('Nothing was decided');
    // All children share one text, so they take 1 MiB in memory, but more than the longest string of V8 (512 MiB) as a record.
    const data = { text: 'x'.repeat(1024 * 1024) };
    let reads = 0;
    const steps = Array.from({ length: 600 }, (_, index) => ({
      step: 'create' as const,
      kind: ConfigMap,
      name: `c${index}`,
      reason: 'Missing' as const,
      get declared() {
        reads += 1;
        return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${index}` }, data };
      },
    }));
    const plan = { ...decision.wanted.plan, steps };
    record.onDecision({ ...decision, wanted: { ...decision.wanted, plan } });
    await record.close();
    expect(readRecords(await readFile(file, 'utf8'), { name: file })).toMatchObject([
      { pass: 1, unreplayable: 'its record would have been longer than 8388608 bytes, too long to be kept' },
    ]);
    expect(reads).toBeLessThan(10);
  });

  it('does not follow a link, nor change what it leads to', async () => {
    const [target, file] = [join(folder, 'target'), join(folder, 'link.jsonl')];
    await writeFile(target, 'precious');
    await symlink(target, file);
    await expect(openRecordFile({ file, log })).rejects.toThrow(/RECORD_FILE is .* cannot be written/);
    expect(await readFile(target, 'utf8')).toBe('precious');
  });

  it('refuses a file that cannot be written', async () => {
    await expect(openRecordFile({ file: join(folder, 'no/such/file'), log })).rejects.toThrow(
      /RECORD_FILE is .* cannot be written/,
    );
  });
});
