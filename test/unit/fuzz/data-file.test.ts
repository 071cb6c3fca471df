import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { equalJson } from '#lib/json.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { startEmbeddedCluster } from '#lib/testing.ts';
import { repository } from '#test/architecture/repository.ts';
import { casesNow } from '#test/cases.ts';

/** Each case damages one byte. */
const { first, count } = casesNow({ usual: 60, soak: 5000 });

/** One of this number of cases is also a start or a kill of a cluster, which take longer. */
const STARTS = 30;
const KILLS = 100;

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' } as const;
const where = { namespace: 'default', fieldManager: 'test' };

/** Names and data of the ConfigMaps of a test. */
type Contents = Readonly<Record<string, unknown>>;

type Client = ReturnType<typeof createKubeClient>;

/** Starts a cluster with a data file, works with it, and ends it. */
const inCluster = async <T>(dataFile: string, work: (client: Client) => Promise<T>): Promise<T> => {
  await using cluster = await startEmbeddedCluster({ dataFile });
  const client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: cluster.kubeconfig } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
};

const contentsIn = async (client: Client): Promise<Contents> => {
  const { items } = await client.list(configMaps, { namespace: 'default' });
  return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data]));
};

let folder: string;
let dataFile: string;
/** A data file with three ConfigMaps, and their contents. */
let whole: Buffer;
let contents: Contents;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damaged-data-'));
  dataFile = join(folder, 'cluster.json');
  contents = await inCluster(dataFile, async (client) => {
    for (const name of ['a', 'b', 'c'])
      await client.create(configMaps, { metadata: { name }, data: { text: `é${name}` } }, where);
    return contentsIn(client);
  });
  whole = await readFile(dataFile);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a cluster with these bytes as its data file. @returns its ConfigMaps, or the error of the start */
const startedWith = async (bytes: Buffer): Promise<Contents | ConfigurationError> => {
  await writeFile(dataFile, bytes);
  try {
    return await inCluster(dataFile, contentsIn);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
};

const REFUSAL = /^Cannot read the data file .*cluster\.json: it.*; the file was not changed/;

/** The members of a data file that the next cluster continues with. */
const keptIn = (bytes: Buffer): unknown => {
  const { identity, resourceVersion, objects } = JSON.parse(bytes.toString()) as Readonly<Record<string, unknown>>;
  return { identity, resourceVersion, objects };
};

/**
 * The fault of a start with these bytes. Undefined when the ConfigMaps are complete, or when the start refuses the file and
 * leaves it unchanged.
 */
const faultOfStart = async (bytes: Buffer): Promise<string | undefined> => {
  const result = await startedWith(bytes);
  if (!(result instanceof ConfigurationError)) {
    const isComplete = equalJson(result, contents) && equalJson(keptIn(bytes), keptIn(whole));
    return isComplete ? undefined : 'damaged objects';
  }
  if (!REFUSAL.test(result.message)) return result.message;
  return (await readFile(dataFile)).equals(bytes) ? undefined : 'the file was changed';
};

const flipped = (bytes: Buffer, at: number, bit: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
};

describe('a data file', () => {
  it('a data file that ends early or has a flipped bit is refused and left as it is, or nothing in it is damaged', async () => {
    // A file without the member "checksum" is accepted, as those of earlier releases are.
    const nameOfChecksum = whole.indexOf('checksum');
    expect(await startedWith(flipped(whole, nameOfChecksum, 1))).toEqual(contents);
    for (let number = first; number < first + count; number += 1) {
      // The factor is a prime: few cases already reach all parts of the file.
      const at = (number * 7919) % whole.length;
      for (const bytes of [whole.subarray(0, at), flipped(whole, at, number % 8)]) {
        expect(await faultOfStart(bytes)).toBeUndefined();
        expect(await readdir(folder)).toEqual(['cluster.json']);
      }
    }
  });

  it('a file that a killed process has not finished never replaces the data file', async () => {
    for (let number = first; number < first + count / STARTS; number += 1) {
      await writeFile(`${dataFile}.tmp`, whole.subarray(0, (number * 7919) % whole.length));
      expect(await startedWith(whole)).toEqual(contents);
      expect(await readdir(folder)).toEqual(['cluster.json']);
    }
  });
});

/** Creates ConfigMaps one after the other, and prints the name of each after its creation. */
const WRITER = `
  const { startEmbeddedCluster } = await import('#lib/testing.ts');
  const { createKubeClient } = await import('#lib/kube/client/client.ts');
  const { loadCredentials } = await import('#lib/kube/credentials/credentials.ts');
  const cluster = await startEmbeddedCluster({ dataFile: process.env.DATA_FILE });
  const client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: cluster.kubeconfig } }));
  const resource = ${JSON.stringify(configMaps)};
  for (;;) {
    const name = 'n-' + process.env.LIFE + '-' + Date.now() + '-' + Math.random().toString(36).slice(2);
    await client.create(resource, { metadata: { name }, data: { life: process.env.LIFE } }, ${JSON.stringify(where)});
    console.log(name);
  }`;

/** The ConfigMaps that a data file has from the processes. */
const namesIn = (path: string): readonly string[] => {
  const { objects } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly objects: readonly { readonly kind: string; readonly metadata: { readonly name: string } }[];
  };
  return objects
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('n-'))
    .map(({ metadata }) => metadata.name);
};

/**
 * Starts a process that creates ConfigMaps, and kills it after it has saved some of them: every other process when it begins
 * the next save, the others after some more creations.
 *
 * @returns the names in the file before the kill
 */
const namesBeforeKill = async (path: string, life: number): Promise<readonly string[]> => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITER], {
    cwd: repository,
    env: { ...process.env, DATA_FILE: path, LIFE: String(life) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let saved: readonly string[] = [];
  const hasSaved = (): boolean => saved.some((name) => name.startsWith(`n-${life}-`));
  const watcher = watch(dirname(path), (_, name) => {
    if (name === 'cluster.json' && !hasSaved()) saved = namesIn(path);
    if (name === 'cluster.json.tmp' && hasSaved() && life % 2 === 1) child.kill('SIGKILL');
  });
  let left = (life * 37) % 400;
  for await (const _ of createInterface({ input: child.stdout }))
    if (hasSaved() && life % 2 === 0 && (left -= 1) < 0) child.kill('SIGKILL');
  await exit;
  watcher.close();
  expect(saved).not.toEqual([]);
  return saved;
};

describe('a cluster that is killed', () => {
  it('a cluster that is killed while it writes its data file loses nothing that the file had, and starts again', async () => {
    const place = await mkdtemp(join(tmpdir(), 'killed-data-'));
    const path = join(place, 'cluster.json');
    const known = new Set<string>();
    for (let life = first; life < first + count / KILLS; life += 1) {
      const before = await namesBeforeKill(path, life);
      for (const name of [...before, ...namesIn(path)]) known.add(name);
      const after = Object.keys(await inCluster(path, contentsIn));
      expect(after).toEqual(expect.arrayContaining([...known]));
      for (const name of after) known.add(name);
      expect(await readdir(place)).toEqual(['cluster.json']);
    }
    expect(known.size).toBeGreaterThan(0);
    await rm(place, { recursive: true });
  });
});
