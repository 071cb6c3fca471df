import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { OperatorProcess } from '#lib/cli/verbs/dev/operator/operator-process.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import { repository } from '#test/architecture/repository.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const WEBSITES = { apiVersion: 'web.acme.io/v1', kind: 'Website', plural: 'websites', scope: 'Namespaced' } as const;
const options = { namespaces: [], hasEffects: false, isEmbedded: true };

/** The function starts in line 6. */
const sourceOf = (text: string): string => `import { defineKind, s } from '${join(repository, 'lib/index.ts')}';
export const website = defineKind({
  group: 'web.acme.io', version: 'v1', kind: 'Website', plural: 'websites', owns: [],
  spec: s.object({ text: ${text} }), status: s.object({}),
  desired() {
    throw new Error('boom');
  },
});
`;

let folder: string;
let output = '';
let operator: OperatorProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dev-problems-'));
  await mkdir(join(folder, 'kinds'));
  const config = "import { website } from './kinds/website.ts';\nexport default { kinds: [website] };\n";
  await writeFile(join(folder, 'reconcile.config.ts'), config);
});
afterEach(async () => {
  await operator?.stop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const loaded = async (text: string): ReturnType<OperatorProcess['load']> => {
  await writeFile(join(folder, 'kinds/website.ts'), sourceOf(text));
  output = '';
  operator = OperatorProcess.start({ write: (each) => void (output += each) });
  return operator.load({ config: join(folder, 'reconcile.config.ts'), cwd: folder, options });
};

it.each([
  {
    reason: 'a default that does not fit',
    text: 's.string({ maxLength: 9, default: 5 as never })',
    problem: /^ {2}- spec\.text: .*\(value: 5\) \[default-fits\]; .+/m,
  },
  { reason: 'a text without a bound', text: 's.string()', problem: /^ {2}- spec\.text: .* \[bound-length\]; .+/m },
])('dev lists the problems of a kind with path, rule and way out: $reason', async ({ text, problem }) => {
  const answer = await loaded(text);
  expect(answer).toMatchObject({ type: 'failed', message: expect.stringMatching(problem) as string });
  expect(answer).toMatchObject({
    message: expect.stringMatching(/^Cannot compile kind "Website": 1 problem$/m) as string,
  });
});

const install = async (cluster: Cluster, definition: object): Promise<void> => {
  await cluster.api.create(DEFINITIONS, definition, { fieldManager: 'test' });
  const body = { apiVersion: WEBSITES.apiVersion, kind: WEBSITES.kind, metadata: { name: 'web' }, spec: { text: 'a' } };
  await cluster.api.create(WEBSITES, body, { namespace: 'default', fieldManager: 'test' });
};

it('dev logs a function that throws with file and line of its source', async () => {
  const answer = await loaded('s.string({ maxLength: 9 })');
  if (answer.type !== 'loaded') throw new TypeError('The kinds were not loaded');
  let running: EmbeddedCluster | undefined;
  try {
    running = await startEmbeddedCluster();
    const cluster = await connectTo(
      { kubeconfig: running.kubeconfig },
      { env: {}, signal: new AbortController().signal },
    );
    for (const definition of answer.project.definitions) await install(cluster, definition);
    await cluster.close();
    const env = { KUBECONFIG: running.kubeconfig, LEADER_ELECTION: 'false', HEALTH_PORT: '0', METRICS_PORT: '0' };
    operator?.run({ env, isTerminal: false });
    await waitFor('the line of the log', async () => output.includes('desired failed'));
    expect(output).toContain(`key=default/web error=boom (${join(folder, 'kinds/website.ts')}:6)`);
  } finally {
    await operator?.stop();
    await running?.close();
  }
});
