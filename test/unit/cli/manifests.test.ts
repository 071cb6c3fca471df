import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifests } from '#lib/cli/project/manifests.ts';
import { recordingContext } from './run-cli.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'manifests-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n';

const read = (text: string) => readManifests(['-'], recordingContext({ input: text }).context);

describe('readManifests()', () => {
  it('reads documents, lists and JSON, and passes over what is empty', async () => {
    const list = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'c' } }],
    });
    const manifests = await read(`# mine\n---\n${POD}---\n---\n${POD.replace('a\n', 'b\n')}---\n${list}\n`);
    expect(manifests.map(({ object, where }) => [object.metadata.name, where])).toEqual([
      ['a', 'stdin:3'],
      ['b', 'stdin:9'],
      ['c', 'stdin:14'],
    ]);
    expect(await read('')).toEqual([]);
  });

  it.for([
    ['{"schemaVersion":2,"manifests":[]}', 'its members are schemaVersion, manifests;'],
    ['{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}', 'its members are a, b, c, d, e, …;'],
    ['{}', 'it is empty;'],
  ] as const)('says that %s is no manifest', async ([text, words]) => {
    await expect(read(text)).rejects.toThrow(
      `stdin:1:1: this is no manifest of Kubernetes: apiVersion and kind are missing, and ${words} name a file with manifests`,
    );
  });

  it('reads files and folders in the order of their names', async () => {
    await mkdir(join(scratch, 'all/deeper'), { recursive: true });
    await writeFile(join(scratch, 'all/b.yaml'), POD.replace('a\n', 'b\n'));
    await writeFile(join(scratch, 'all/deeper/c.yml'), POD.replace('a\n', 'c\n'));
    await writeFile(join(scratch, 'all/a.json'), '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}');
    await writeFile(join(scratch, 'all/notes.txt'), 'none of it');
    await mkdir(join(scratch, 'all/folder.yaml'));
    const { context } = recordingContext({ cwd: scratch });
    const manifests = await readManifests(['all', 'all/b.yaml'], context);
    expect(manifests.map(({ object, where }) => `${object.metadata.name} ${where}`)).toEqual([
      'a all/a.json:1',
      'b all/b.yaml:1',
      'c all/deeper/c.yml:1',
      'b all/b.yaml:1',
    ]);
    await mkdir(join(scratch, 'empty'));
    await expect(readManifests(['empty'], context)).rejects.toThrow(/no file in this folder ends with/);
    await expect(readManifests(['gone.yaml'], context)).rejects.toThrow(
      /Cannot read gone\.yaml: there is no such file/,
    );
  });

  it.for([
    ['a tab', 'a:\n\tb: 1\n', /^stdin:2:1: Tabs are not allowed/],
    ['an open bracket', `${POD}spec: [1, 2\n`, /^stdin:\d+:\d+: .*flow/i],
    ['a key twice', `${POD}kind: Pod\n`, /^stdin:5:1: Map keys must be unique/],
    ['an unknown alias', `${POD}spec: *nothing\n`, /^stdin:\d+:\d+: Unresolved alias/],
    ['a word', `${POD}---\nhello\n`, /^stdin:6:1: this is no object; a manifest begins with apiVersion and kind/],
    ['no kind', 'apiVersion: v1\nmetadata: {}\n', /^stdin:1:1: kind must be a text, such as PodSet/],
    ['a kind that is a number', 'apiVersion: v1\nkind: 3\n', /^stdin:2:7: kind must be a text/],
    ['no metadata', 'apiVersion: v1\nkind: Pod\n', /^stdin:1:1: metadata is missing/],
    [
      'a name that is a number',
      'apiVersion: v1\nkind: Pod\nmetadata: { name: 7 }\n',
      /^stdin:3:11: metadata\.name must be a text, such as web; write a number in quotes/,
    ],
    [
      'a namespace that is an object',
      'apiVersion: v1\nkind: Pod\nmetadata: { namespace: {} }\n',
      /^stdin:3:11: metadata\.namespace must be a text, such as default/,
    ],
    ['a number that JSON does not have', `${POD}spec: .nan\n`, /^stdin:1:1: it has a number that JSON does not have/],
    ['too many levels', `${POD}spec: ${'['.repeat(20_000)}\n`, /^stdin:5:\d+: too many levels of lists and objects$/],
  ] as const)('names file, line and column of %s', async ([, text, message]) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('reads values of tags that JSON does not have as text, lists and mappings', async () => {
    const [manifest] = await read(
      `%YAML 1.1\n---\n${POD}spec: [!!timestamp 2001-12-14, !!set {a, b}, !!omap [a: 1]]\n`,
    );
    expect(manifest?.object['spec']).toEqual(['2001-12-14', { a: null, b: null }, [{ a: 1 }]]);
  });

  it('refuses aliases that would become gigabytes', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`,
    );
    await expect(read(`${POD}l0: &l0 x\n${levels.join('\n')}\n`)).rejects.toThrow(/^stdin:.*[Ee]xcessive alias/);
  });
});
