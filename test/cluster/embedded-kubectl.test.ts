import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { describeKubectlApply } from '#test/contract/kubectl-apply.ts';
import { provideArtifacts } from '#test/control-plane/binaries.ts';
import { committedBundle, OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { type KubectlResult, runKubectl } from '#test/control-plane/kubectl.ts';

const podSet = fileURLToPath(new URL('../manifests/podset.yaml', import.meta.url));
const IN_OPERATORS = ['-n', OPERATOR];
const deployment = `deployment/${OPERATOR}`;

let cluster: EmbeddedCluster;
let folder: string;
let program: string;

beforeAll(async () => {
  ({ kubectl: program } = await provideArtifacts(['kubectl']));
  folder = await mkdtemp(join(tmpdir(), 'embedded-kubectl-'));
  cluster = await startEmbeddedCluster();
});

afterAll(async () => {
  await cluster?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = async (...args: readonly string[]): Promise<KubectlResult> =>
  runKubectl(program, args, { kubeconfig: cluster.kubeconfig, folder });

describeKubectlApply('the embedded cluster', (args, options) =>
  runKubectl(program, args, { kubeconfig: cluster.kubeconfig, folder, ...options }),
);

const kubectl = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  expect(`${code} ${stderr}`).toBe('0 ');
  return stdout;
};

/** Splits output into lines and drops the ages, which differ. */
const linesOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\b\d+m?s\b/g, 'AGE')
        .replaceAll(/ +/g, ' ')
        .trim(),
    );

describe('kubectl on the embedded cluster', () => {
  it('applies the install bundle, again without change, by the server, and by the client over that', async () => {
    const created = await kubectl('apply', '--server-side', '-f', committedBundle);
    expect(linesOf(created).filter((line) => !line.endsWith(' serverside-applied'))).toEqual([]);
    const again = await kubectl('apply', '--server-side', '-f', committedBundle);
    expect(linesOf(again)).toEqual(linesOf(created));
    expect((await run('apply', '-f', committedBundle)).code).toBe(0);
    expect(linesOf(await kubectl('diff', '-f', committedBundle))).toEqual(['']);
  });

  it('waits for conditions, rolls out, restarts and scales', async () => {
    await kubectl(...IN_OPERATORS, 'wait', deployment, '--for=condition=Available', '--timeout=120s');
    await kubectl('wait', 'crd', '--all', '--for=condition=Established', '--timeout=120s');
    await kubectl(...IN_OPERATORS, 'rollout', 'restart', deployment);
    await kubectl(...IN_OPERATORS, 'rollout', 'status', deployment, '--timeout=120s');
    await kubectl(...IN_OPERATORS, 'scale', deployment, '--replicas=1');
    await kubectl(...IN_OPERATORS, 'wait', deployment, '--for=jsonpath={.status.replicas}=1', '--timeout=120s');
    expect(linesOf(await kubectl(...IN_OPERATORS, 'get', deployment))).toEqual([
      'NAME READY UP-TO-DATE AVAILABLE AGE',
      `${OPERATOR} 1/1 1 1 AGE`,
    ]);
  });

  it('shows custom resources in the columns of their definition, describes and explains them', async () => {
    await kubectl('apply', '-f', podSet);
    await kubectl('scale', 'podset/example-podset', '--replicas=5');
    expect(linesOf(await kubectl('get', 'podsets', '-o', 'wide'))[0]).toBe(
      'NAME DESIRED CURRENT READY UPDATED AVAILABLE AGE REVISION IMAGES STATUS',
    );
    expect(linesOf(await kubectl('get', 'podsets'))[1]).toMatch(/^example-podset 5 /);
    expect(await kubectl('get', 'podset/example-podset', '-o', 'yaml')).toContain('  replicas: 5\n');
    expect(await kubectl('describe', 'podset/example-podset')).toContain('Kind:         PodSet');
    expect(await kubectl('explain', 'podset.spec.replicas')).toContain('FIELD: replicas <integer>');
    expect(await kubectl('explain', 'pod.spec.containers.image')).toContain('FIELD: image <string>');
    expect(await kubectl('get', 'all,sa,role,crd', '-A')).toContain('serviceaccount/default');
  });

  it('watches until the object is deleted', async () => {
    const watch = run('wait', 'podset/example-podset', '--for=delete', '--timeout=120s');
    await kubectl('delete', 'podset/example-podset');
    expect((await watch).code).toBe(0);
    expect((await run('get', 'podset/example-podset')).stderr).toBe(
      'Error from server (NotFound): podsets.app.example.com "example-podset" not found\n',
    );
  });

  it('creates by typed commands, which send protobuf, and patches strategically', async () => {
    await kubectl('create', 'namespace', 'shop');
    await kubectl('-n', 'shop', 'create', 'deployment', 'web', '--image=nginx', '--replicas=2');
    await kubectl('-n', 'shop', 'wait', 'deployment/web', '--for=condition=Available', '--timeout=120s');
    await kubectl('-n', 'shop', 'set', 'image', 'deployment/web', 'nginx=nginx:2');
    await kubectl('-n', 'shop', 'rollout', 'status', 'deployment/web', '--timeout=120s');
    expect(await kubectl('-n', 'shop', 'get', 'deployment/web', '-o', 'jsonpath={..image}')).toBe('nginx:2');
    await kubectl('delete', 'namespace', 'shop', '--wait=false');
  });

  it('shows the rights of each user', async () => {
    expect(await kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe('admin');
    expect(await kubectl('auth', 'can-i', 'delete', 'pods', `--as=${OPERATOR_USER}`)).toBe('yes\n');
    expect((await run('auth', 'can-i', 'get', 'secrets', `--as=${OPERATOR_USER}`)).stdout).toBe('no\n');
    const refused = await run('get', 'secrets', `--as=${OPERATOR_USER}`);
    expect(refused.stderr).toBe(
      `Error from server (Forbidden): secrets is forbidden: User "${OPERATOR_USER}" cannot list resource "secrets" in API group "" in the namespace "default"\n`,
    );
    const token = await kubectl(...IN_OPERATORS, 'create', 'token', OPERATOR);
    expect(token.split('.')).toHaveLength(3);
  });

  it('is refused by name what is not served', async () => {
    await kubectl('run', 'shell', '--image=busybox');
    expect((await run('logs', 'shell')).stderr).toMatch(/NotImplemented.*pods\/log/);
    expect((await run('get', 'volumeattachments')).stderr).toContain(
      'the server doesn\'t have a resource type "volumeattachments"',
    );
  });
});
