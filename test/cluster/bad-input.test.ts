import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { namesOf } from '#lib/kind/names.ts';
import { describeJudge, type Judge } from '#test/contract/bad-input/judge.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
  await installBundle(plane);
});

afterAll(async () => plane?.stop());

interface Refusal {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
}

const methods = { create: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

const pluralOf = (kindName: string): string => {
  const definition = kinds.find(({ kind }) => kind === kindName);
  return definition === undefined ? kindName : namesOf(definition).plural;
};

const judge: Judge = async ({ apiVersion, kind, verb, name, subresource, body, dryRun, fieldValidation }) => {
  const collection = `/apis/${apiVersion}/namespaces/default/${pluralOf(kind)}`;
  const path = [collection, ...(verb === 'create' ? [] : [name]), ...(subresource ? [subresource] : [])].join('/');
  const query = new URLSearchParams({
    ...(dryRun && { dryRun: 'All' }),
    ...(verb !== 'delete' && { fieldValidation }),
  });
  const contentType = verb === 'patch' ? 'application/merge-patch+json' : 'application/json';
  const answer = await plane.request<Refusal>(methods[verb], `${path}?${query.toString()}`, body, { contentType });
  const fields = (answer.body.details?.causes ?? []).map(({ field }) => field ?? '');
  return { code: answer.status, message: answer.status < 400 ? '' : (answer.body.message ?? ''), fields };
};

describeJudge('a real API server', judge);

const manifest = (name: string): string => fileURLToPath(new URL(`../manifests/${name}`, import.meta.url));

const kubectlApply = async (file: string, ...flags: readonly string[]): Promise<string> => {
  const { code, stderr } = await plane.kubectl(['apply', '--dry-run=server', ...flags, '-f', file]);
  return `${code} ${stderr}`;
};

describe('manifests, applied with kubectl', () => {
  it.each(['appservice.yaml', 'deployer.yaml', 'immortalcontainer.yaml', 'podset.yaml'])(
    'the classic %s is accepted as it is',
    async (name) => {
      expect(await kubectlApply(manifest(name), '--validate=strict')).toBe('0 ');
    },
  );

  it.each(['--validate=strict', '--validate=warn', '--validate=ignore', '--server-side'])(
    'the one that says size in place of replicas is refused, naming spec.replicas, with %s',
    async (option) => {
      expect(await kubectlApply(manifest('appservice-size.yaml'), option)).toMatch(
        /^1 .*spec\.replicas: Required value/s,
      );
    },
  );

  it('the committed samples are accepted', async () => {
    const samples = fileURLToPath(new URL('../../synth-out/samples.k8s.yaml', import.meta.url));
    expect(await kubectlApply(samples, '--validate=strict')).toBe('0 ');
  });
});

describe('what the API server says about a kind', () => {
  it('kubectl explain shows the description of the definition', async () => {
    const { stdout } = await plane.kubectl(['explain', 'podset.spec.replicas']);
    expect(stdout).toContain('Number of pods to run');
  });

  it('the defaults of the definition are filled in', async () => {
    const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' }, spec: {} };
    const path = '/apis/app.example.com/v1alpha1/namespaces/default/podsets?dryRun=All';
    expect((await plane.request<{ spec: object }>('POST', path, body)).body.spec).toMatchObject({ replicas: 1 });
  });
});
