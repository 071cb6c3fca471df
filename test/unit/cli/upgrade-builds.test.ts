import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { repository } from '#test/architecture/repository.ts';
import { liveCluster, NOW, podSetOf } from '#test/unit/support/foresight-cluster.ts';
import { type Ran, ran } from './run-cli.ts';

const KIND = JSON.stringify(join(repository, 'constructs/pod-set/kind.ts'));

let cwd: string;

/** A config with another build of PodSet. */
const configOf = (spec: string): string => `import { podSet } from ${KIND};
const desired = (seen) => podSet.desired({ ...seen, resource: { ...seen.resource, spec: ${spec} } });
export default { kinds: [{ ...podSet, desired }] };
`;

const OTHER_KIND = `import { podSet } from ${KIND};
export default { kinds: [{ ...podSet, version: 'v1beta1' }] };
`;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'upgrade-builds-'));
  const live = await liveCluster([podSet], [podSetOf(3)]);
  await Promise.all([
    writeFile(join(cwd, 'live.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: live })),
    writeFile(join(cwd, 'same.config.ts'), configOf('seen.resource.spec')),
    writeFile(join(cwd, 'other.config.ts'), configOf('{ ...seen.resource.spec, replicas: 2 }')),
    writeFile(join(cwd, 'version.config.ts'), OTHER_KIND),
  ]);
});

afterAll(async () => rm(cwd, { recursive: true, force: true }));

const previewed = async (words: string): Promise<Ran> =>
  ran(`upgrade preview --against live.json ${words}`, { cwd, now: () => NOW });

describe('the command upgrade preview of another build', () => {
  it('ends with 0 when another build would write nothing else', async () => {
    const { stdout, stderr, code } = await previewed('--from same.config.ts --config same.config.ts');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/PodSet/);
    expect(code).toBe(0);
  });

  it('shows what another build would remove, and ends with 2', async () => {
    const { stdout, code } = await previewed('--from same.config.ts --config other.config.ts --details');
    expect(stdout.match(/^ +- Pod web-\w{5} +ScaledDown$/gm)).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('prints a table and data', async () => {
    const table = await previewed('--from same.config.ts --config other.config.ts -o table');
    expect(table.stdout).toMatch(/^KIND +OBJECTS +LEFT OUT +TOUCHED +CREATED +CHANGED +RESTARTED +REPLACED +REMOVED/);
    expect(table.stdout).toMatch(/^PodSet +1 +0 +1 +0 +0 +0 +0 +1 /m);
    const data = await previewed('--from same.config.ts --config other.config.ts -o json');
    expect(JSON.parse(data.stdout)).toMatchObject({ kinds: [{ kind: 'PodSet', objects: 1, removed: 1 }] });
  });

  it('ends with 1 when there are objects that the new build does not read', async () => {
    const { stdout, code } = await previewed('--from same.config.ts --config version.config.ts');
    expect(stdout).toMatch(/PodSet/);
    expect(code).toBe(1);
  });

  it.each([
    ['', /required option '--from <config>'/, 64],
    [
      '--from nowhere.config.ts',
      /Cannot read the kinds: there is no .*nowhere\.config\.ts; name another file by --from\n/,
      1,
    ],
    ['--from .', /Cannot read the kinds: .* is a folder; name another file by --from\n/, 1],
    ['--from same.config.ts --against nowhere.json', /Cannot read nowhere\.json/, 1],
  ])('refuses %j', async (words, message, expected) => {
    const { stderr, code } = await previewed(`--config same.config.ts ${words}`);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});
