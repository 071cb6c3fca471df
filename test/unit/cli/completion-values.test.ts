import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refOf } from '#lib/kind/names.ts';
import { resourceOf, website } from '#test/unit/foresight/served/portal.ts';
import broken from './broken/reconcile.config.ts';
import { ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const cwd = `${import.meta.dirname}/broken`;

let virtual: VirtualCluster;
let folder = '';
beforeAll(async () => {
  virtual = await virtualCluster(() => undefined, { kinds: broken.kinds, isStill: true });
  for (const name of ['shop', 'status'])
    await virtual.api.create(refOf(website), resourceOf('Website', name), {
      namespace: 'default',
      fieldManager: 'test',
    });
  folder = await mkdtemp(join(tmpdir(), 'completion-'));
  const contexts = ['here', 'there'].map((name) => ({ name, context: { cluster: 'c' } }));
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify({ apiVersion: 'v1', kind: 'Config', contexts }));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const wordsAfter = async (...words: readonly string[]): Promise<readonly string[]> => {
  const line = ['__complete', '--directive', '--', ...words].map((word) => (word === '' ? '""' : word)).join(' ');
  const { stdout, stderr } = await ran(line.replaceAll('""', ''), { ...virtual, cwd });
  expect(stderr).toBe('');
  return stdout.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t')[0] ?? '']));
};

describe('completion of values', () => {
  it('offers the kinds of the project and those that make pods, without a blank after them', async () => {
    const words = await wordsAfter('tree', 'p');
    expect(words).toEqual(['portal/', 'pod/', ':6']);
    expect(await wordsAfter('rollout', 'status', 'web')).toEqual(['website/', ':6']);
  });

  it('offers the names of objects of a kind', async () => {
    expect(await wordsAfter('explain', 'website/s')).toEqual(['website/shop', 'website/status', ':4']);
    expect(await wordsAfter('tree', '--watch', 'website/sh')).toEqual(['website/shop', ':4']);
  });

  it('offers kinds for check, namespaces and contexts', async () => {
    expect(await wordsAfter('check', 'P')).toEqual(['Portal', ':4']);
    expect(await wordsAfter('tree', '-n', 'def')).toEqual(['default', ':4']);
    const kubeconfig = join(folder, 'kubeconfig');
    expect(await wordsAfter('tree', '--kubeconfig', kubeconfig, '--context', 't')).toEqual(['there', ':4']);
  });

  it('offers nothing for what it cannot find, and says nothing of it', async () => {
    expect(await wordsAfter('tree', 'nonsense/w')).toEqual([':4']);
    expect(await wordsAfter('tree', '--kubeconfig', join(folder, 'none'), '--context', 't')).toEqual([':4']);
    expect(await wordsAfter('tree', 'website/shop', 'w')).toEqual([':4']);
  });
});
