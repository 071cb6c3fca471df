import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { template, templateWithOurLines } from '#test/unit/package/classic-app.ts';
import { compileClassically } from '#test/unit/package/classic-typescript.ts';
import { installedIn, packPackage, runNode } from '#test/unit/package/packed.ts';
import { statusWith } from './own-operator.ts';

/** Packing the package and compiling a project take half a minute of a core, so they run in the soak only. */
const isSoak = process.env['SOAK'] !== undefined;

/** The default name of the operator. */
const NAME = 'reconcile-operator';

let scratch: string;
let plane: ControlPlane;

beforeAll(async () => {
  if (!isSoak) return;
  scratch = await mkdtemp(join(tmpdir(), 'packed-'));
  plane = await startControlPlane();
});

afterAll(async () => {
  await plane?.stop();
  if (isSoak) await rm(scratch, { recursive: true, force: true });
});

/**
 * Makes a project as `cdk8s init typescript-app` does, with our package, a few lines in its chart, and the process of
 * docs/package.md.
 */
const makeProject = async (): Promise<{ readonly folder: string; readonly page: string }> => {
  const { tarball } = await packPackage(scratch);
  const page = await readFile(join(repository, 'docs/package.md'), 'utf8');
  const [, operator = ''] = /```ts\n([^]*?)```/.exec(page) ?? [];
  const folder = join(scratch, 'app');
  await mkdir(folder);
  const files = {
    'main.ts': await templateWithOurLines(),
    'tsconfig.json': await template('tsconfig.json'),
    'operator.ts': operator,
  };
  await installedIn(folder, { tarball, files });
  return { folder, page };
};

describe.runIf(isSoak)('a project of cdk8s init typescript-app with the packed package and a few lines', () => {
  it('gives a bundle that a cluster takes, and an operator that runs the kind', async () => {
    const { folder, page } = await makeProject();
    expect(compileClassically(folder, { files: ['main.ts'], everything: false }).problems).toEqual([]);
    await runNode(folder, 'main.js');
    const [, command = ''] = /```sh\nnpx (esbuild [^]*?)```/.exec(page) ?? [];
    await promisify(execFile)('sh', ['-c', join(repository, 'node_modules/.bin', command)], { cwd: folder });

    // The chart has a CRD and a resource of its kind. The API server refuses the resource until it serves the CRD, as with
    // GitOps tools.
    await waitFor('the whole chart to be applied', async () => {
      const { code } = await plane.kubectl(['apply', '-f', join(folder, 'dist/app.k8s.yaml')]);
      return code === 0;
    });
    await using operator = await startOperator({
      kubeconfig: await plane.serviceAccountKubeconfig(NAME, NAME),
      entryPoint: join(folder, 'dist/operator/operator.mjs'),
      env: { POD_NAMESPACE: NAME, LEASE_NAME: NAME },
    });
    const status = await statusWith(plane, '/apis/app.example.com/v1alpha1/namespaces/default/podsets/web', {
      replicas: 3,
      readyReplicas: 3,
    });
    expect(status).toMatchObject({ podNames: [expect.any(String), expect.any(String), expect.any(String)] });
    const user = `system:serviceaccount:${NAME}:${NAME}`;
    expect((await plane.auditEntries({ user })).filter(({ code }) => code === 403)).toEqual([]);
    expect(await operator.stop()).toBe(0);
  });
});
