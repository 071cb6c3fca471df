import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classicPod } from '#constructs/pod-set/pods.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { committedBundle, installBundle, OPERATOR } from '#test/control-plane/install.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
});

afterAll(async () => plane?.stop());

interface Template {
  readonly metadata: object;
  readonly spec: { readonly securityContext: object };
}

interface Answer {
  readonly message?: string;
}

/** The template as the API server stored it. */
const operatorTemplate = async (): Promise<Template> => {
  const path = `/apis/apps/v1/namespaces/${OPERATOR}/deployments/${OPERATOR}`;
  return (await plane.request<{ spec: { template: Template } }>('GET', path)).body.spec.template;
};

const dryRunPod = async (namespace: string, pod: object) =>
  plane.request<Answer>('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);

describe('the install bundle', () => {
  it('is valid for the API server, field by field', async () => {
    const args = ['apply', '--dry-run=server', '--validate=strict', '-f', committedBundle];
    const { code, stderr } = await plane.kubectl(args);
    expect(`${code} ${stderr}`).toBe('0 ');
  });

  it('makes a namespace that enforces the Pod Security level restricted', async () => {
    type Namespace = { metadata: { labels: Record<string, string> } };
    const { body } = await plane.request<Namespace>('GET', `/api/v1/namespaces/${OPERATOR}`);
    expect(body.metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  it('has a pod template that the restricted namespace accepts', async () => {
    const { metadata, spec } = await operatorTemplate();
    const { status, body } = await dryRunPod(OPERATOR, { metadata: { ...metadata, name: 'probe' }, spec });
    expect(`${status} ${body.message ?? ''}`).toBe('201 ');
  });

  it('would be refused there with one setting less: the check can fail', async () => {
    const { metadata, spec } = await operatorTemplate();
    const weak = { ...spec, securityContext: { runAsNonRoot: true } };
    const { status, body } = await dryRunPod(OPERATOR, { metadata: { ...metadata, name: 'probe' }, spec: weak });
    expect(status).toBe(403);
    expect(body.message).toContain('seccompProfile');
  });

  it('hands the token to nobody who merely names the ServiceAccount', async () => {
    type Account = { automountServiceAccountToken: boolean };
    const path = `/api/v1/namespaces/${OPERATOR}/serviceaccounts/${OPERATOR}`;
    expect((await plane.request<Account>('GET', path)).body.automountServiceAccountToken).toBe(false);
  });
});

describe('classicPod()', () => {
  it('is accepted by a namespace that enforces restricted', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const namespace = await plane.createNamespace('restricted', labels);
    const { status, body } = await dryRunPod(namespace, classicPod('web-bcdfg', { app: 'web' }));
    expect(`${status} ${body.message ?? ''}`).toBe('201 ');
  });
});
