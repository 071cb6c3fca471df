import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleOperator } from '#apps/bundle.ts';
import { makeScratch, removeLeftovers } from '#test/control-plane/scratch.ts';
import { createLayout } from './layout.ts';

const execute = promisify(execFile);

/** An image layout, and the digest of its only image. */
export interface OperatorImage {
  readonly layout: string;
  readonly digest: string;
}

const PREFIX = 'cdk8s-reconcile-image';

/** Writes the image of the operator into a folder that is removed when this process ends. */
export const writeOperatorImage = async (): Promise<OperatorImage> => {
  await removeLeftovers(tmpdir(), PREFIX);
  const folder = await makeScratch(tmpdir(), PREFIX);
  const layoutFolder = join(folder, 'layout');
  const layout = await createLayout(layoutFolder);
  const root = join(folder, 'root');
  await bundleOperator(join(root, 'app'));
  const program = await realpath(process.execPath);
  const { stdout } = await execute('ldd', [program]);
  for (const [path] of stdout.matchAll(/\/\S+/g)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await copyFile(await realpath(path), join(root, path));
  }
  await mkdir(join(root, 'nodejs/bin'), { recursive: true });
  await copyFile(program, join(root, 'nodejs/bin/node'));
  const layer = await layout.layer(root);
  const config = { User: '65532:65532', WorkingDir: '/app', Entrypoint: ['/nodejs/bin/node', '/app/operator.mjs'] };
  const names = ['registry.example.com/cdk8s-reconcile/operator:0.1.0'];
  await layout.add({ names, layers: [layer], config });
  await rm(root, { recursive: true });
  const index = JSON.parse(await readFile(join(layoutFolder, 'index.json'), 'utf8')) as {
    readonly manifests: readonly { readonly digest: string }[];
  };
  return { layout: layoutFolder, digest: index.manifests[0]?.digest ?? '' };
};
