import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '#test/control-plane/poll.ts';
import { makeScratch, removeLeftovers, removeScratch } from '#test/control-plane/scratch.ts';
import { crane, type JudgeRegistry, provideImageJudge, startJudgeRegistry } from '#test/image-judge/tool.ts';
import { installedIn, linkPrograms, type Packed, packPackage, runNode } from '#test/unit/package/packed.ts';
import { type RealNode, startRealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { kubectl, read } from './operator-node.ts';

const PREFIX = 'cdk8s-reconcile-project';
const NAME = 'shop';
const MAX_LAYER_BYTES = 3 * 2 ** 20;

interface Manifest {
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

describeNode('a project made by init', () => {
  let scratch: string;
  let folder: string;
  let packed: Packed;
  let registry: JudgeRegistry;
  let node: RealNode;

  beforeAll(async () => {
    await provideImageJudge();
    await removeLeftovers(tmpdir(), PREFIX);
    scratch = await makeScratch(tmpdir(), PREFIX);
    packed = await packPackage(scratch);
    registry = await startJudgeRegistry();
    node = await startRealNode();
  });
  afterAll(async () => {
    await node?.stop();
    await registry?.[Symbol.asyncDispose]();
    if (scratch !== undefined) await removeScratch(scratch);
  });

  const command = (...args: readonly string[]): Promise<string> =>
    runNode(folder, 'node_modules/cdk8s-reconcile/lib/cli/main.js', ...args);

  /** Bundles the operator, pushes its image, and lets the node's registry serve what an independent client pulls. @returns the digest */
  const push = async (version: string): Promise<string> => {
    await promisify(execFile)('npm', ['run', 'bundle'], { cwd: folder });
    const tag = `${registry.host}/acme/${NAME}:${version}`;
    const said = await command('image', '--push', '--tag', tag, '--base', 'debian');
    const [, digest = ''] = /@(sha256:[0-9a-f]{64})\n$/.exec(said) ?? [];
    const layout = join(scratch, `layout-${version}`);
    const pulled = await crane('pull', '--format=oci', `${registry.host}/acme/${NAME}@${digest}`, layout);
    if (pulled.code !== 0) throw new Error(`crane cannot pull the image: ${pulled.text}`);
    await node.addLayout(layout);
    return digest;
  };

  /** Synthesizes the bundle with the image, applies it, and waits for the new pods. */
  const deploy = async (digest: string): Promise<void> => {
    const env = { ...process.env, IMAGE: `registry.acme.io/acme/${NAME}@${digest}` };
    await promisify(execFile)(process.execPath, ['main.ts'], { cwd: folder, env });
    const bundle = await readFile(join(folder, 'dist/operator.k8s.yaml'), 'utf8');
    await kubectl(node, ['apply', '--server-side', '--filename=-'], bundle);
    await kubectl(node, ['rollout', 'status', `deployment/${NAME}`, `--namespace=${NAME}`, '--timeout=120s']);
  };

  const layersOf = async (digest: string): Promise<Manifest['layers']> => {
    const { text } = await crane('manifest', '--platform=linux/amd64', `${registry.host}/acme/${NAME}@${digest}`);
    return (JSON.parse(text) as Manifest).layers;
  };

  it('is built, pushed, deployed, changed and rolled', async () => {
    const maker = join(scratch, 'maker');
    await installedIn(maker, { tarball: packed.tarball, files: {} });
    const main = join(maker, 'node_modules/cdk8s-reconcile/lib/cli/main.js');
    await runNode(scratch, main, 'init', NAME, '--kind', 'Greeting', '--group', 'shop.acme.io');
    folder = join(scratch, NAME);
    await installedIn(folder, { tarball: packed.tarball, files: {} });
    await linkPrograms(folder);

    const first = await push('1');
    await deploy(first);
    const samples = await readFile(join(folder, 'dist/samples.k8s.yaml'), 'utf8');
    await kubectl(node, ['apply', '--server-side', '--filename=-'], samples);
    const text = async (): Promise<string | undefined> => {
      const { items } = await read<{ readonly items: readonly { readonly data?: Record<string, string> }[] }>(node, [
        'configmaps',
        '--namespace=default',
        '--selector=shop.acme.io/greeting=example',
      ]);
      return items[0]?.data?.['text'];
    };
    await waitFor('the child of the sample', async () => (await text()) === 'Hello');

    const source = join(folder, 'kinds/greeting.ts');
    const code = await readFile(source, 'utf8');
    const changed = code.replace('text: resource.spec.text', "text: resource.spec.text + ', world'");
    expect(changed).not.toBe(code);
    await writeFile(source, changed);
    const second = await push('2');
    const [before, after] = [await layersOf(first), await layersOf(second)];
    const known = new Set(before.map((layer) => layer.digest));
    const added = after.filter((layer) => !known.has(layer.digest));
    expect(added).toHaveLength(1);
    expect(added[0]?.size).toBeLessThanOrEqual(MAX_LAYER_BYTES);
    await deploy(second);
    await waitFor('the changed child', async () => (await text()) === 'Hello, world');
  });
});
