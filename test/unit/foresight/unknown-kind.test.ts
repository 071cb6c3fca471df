import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { certificateDefinition, website } from './served/portal.ts';

const kinds = [website] as unknown as readonly AnyKindDefinition[];

const objectOf = (apiVersion: string, kind: string): LiveObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a', namespace: 'default' },
});

const certificate = objectOf('cert-manager.io/v1', 'Certificate');

const planOf = async (...objects: readonly LiveObject[]) =>
  planChange({
    kinds,
    live: [],
    changes: objects.map((object, at) => ({ verb: 'apply', object, where: `web.yaml:${at + 1}` })),
    now: 0,
  });

describe('a change of a kind that the virtual cluster does not serve', () => {
  it('planChange() names the served versions when the version is wrong', async () => {
    await expect(planOf(objectOf('web.example.com/v2', 'Website'))).rejects.toThrow(
      /^web\.yaml:1: Cannot plan a change of Website default\/a: the virtual cluster does not serve web\.example\.com\/v2 Website; Website is served in web\.example\.com\/v1: correct apiVersion$/,
    );
  });

  it.for([
    { kind: 'Websit', meant: 'Website of web.example.com/v1' },
    { kind: 'Deploymnet', meant: 'Deployment of apps/v1' },
  ])('planChange() proposes $meant when the kind is $kind', async ({ kind, meant }) => {
    await expect(planOf(objectOf('apps/v1', kind))).rejects.toThrow(new RegExp(`; did you mean ${meant}\\?$`));
  });

  it('planChange() names the allowed kinds when no name is similar', async () => {
    await expect(planOf(certificate)).rejects.toThrow(
      /does not serve cert-manager\.io\/v1 Certificate; it serves Website, and the built-in kinds of docs\/served-kinds\.md: name the kind in the config, put its CustomResourceDefinition before the manifest, or leave the manifest out$/,
    );
  });

  it('planChange() plans the object when its CustomResourceDefinition comes before it', async () => {
    const { changes } = await planOf(certificateDefinition, certificate);
    expect(changes.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
  });
});
