import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';

let plane: ControlPlane;
let namespace: string;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  namespace = await plane.createNamespace('bad-input');
});

afterAll(async () => plane?.stop());

const podSet = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec });

const sizeManifest = fileURLToPath(new URL('../manifests/appservice-size.yaml', import.meta.url));

const rows = [
  { reason: 'below the minimum', manifest: podSet('web', { replicas: -1 }), names: 'spec.replicas' },
  { reason: 'above the maximum', manifest: podSet('web', { replicas: 10_001 }), names: 'spec.replicas' },
  { reason: 'a string', manifest: podSet('web', { replicas: '3' }), names: 'spec.replicas' },
  { reason: 'not whole', manifest: podSet('web', { replicas: 1.5 }), names: 'spec.replicas' },
  { reason: 'an unknown field', manifest: podSet('web', { size: 3 }), names: 'spec.size' },
  { reason: 'no spec', manifest: podSet('web', { replicas: 1 }).replace(',"spec":{"replicas":1}', ''), names: 'spec' },
  { reason: 'a name of 300 characters', manifest: podSet('a'.repeat(300), { replicas: 1 }), names: 'metadata.name' },
  { reason: 'a name of 58 characters', manifest: podSet('a'.repeat(58), { replicas: 1 }), names: 'metadata.name' },
];

const appServices = [
  { reason: 'the unknown field size', manifest: readFileSync(sizeManifest, 'utf8'), names: 'spec.size' },
  { reason: 'no replicas', manifest: podSet('web', {}).replace('PodSet', 'AppService'), names: 'spec.replicas' },
];

describe('the API server', () => {
  it.each(rows)('refuses a PodSet with $reason, naming $names', async ({ manifest, names }) => {
    const { code, stderr } = await plane.kubectl(['-n', namespace, 'apply', '-f', '-'], { input: manifest });
    expect(code).not.toBe(0);
    expect(stderr).toContain(names);
  });

  it.each(appServices)('refuses an AppService with $reason, naming $names', async ({ manifest, names }) => {
    const { code, stderr } = await plane.kubectl(['-n', namespace, 'apply', '-f', '-'], { input: manifest });
    expect(code).not.toBe(0);
    expect(stderr).toContain(names);
  });

  it('refuses the manifest that says size also where unknown fields are only warned about, naming spec.replicas', async () => {
    const args = ['-n', namespace, 'apply', '--validate=warn', '-f', sizeManifest];
    const { code, stderr } = await plane.kubectl(args);
    expect(code).not.toBe(0);
    expect(stderr).toContain('spec.replicas: Required value');
  });

  it('accepts a PodSet with a name of 57 characters and fills in one replica', async () => {
    const name = 'a'.repeat(57);
    const { code, stderr } = await plane.kubectl(['-n', namespace, 'apply', '-f', '-'], { input: podSet(name, {}) });
    expect(`${code} ${stderr}`).toBe('0 ');
    const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/${name}`;
    const { body } = await plane.request<{ spec: object }>('GET', path);
    expect(body.spec).toEqual({ replicas: 1 });
  });

  it('explains the field as the definition describes it', async () => {
    const { stdout } = await plane.kubectl(['explain', 'podset.spec.replicas']);
    expect(stdout).toContain('How many pods should run');
  });

  it('serves the committed samples', async () => {
    const samples = fileURLToPath(new URL('../../synth-out/samples.k8s.yaml', import.meta.url));
    const { code, stderr } = await plane.kubectl([
      '-n',
      namespace,
      'apply',
      '--dry-run=server',
      '--validate=strict',
      '-f',
      samples,
    ]);
    expect(`${code} ${stderr}`).toBe('0 ');
  });
});
