import { describe, expect, it } from 'vitest';
import { deploymentName, imageOf, templateOf, versionIn } from '#constructs/deployer/template.ts';

describe('imageOf()', () => {
  it.each([
    { image: 'nginx', version: '1.7.8', runs: 'nginx:1.7.8', reason: 'the image has no tag' },
    { image: 'library/nginx', version: '1', runs: 'library/nginx:1', reason: 'the image has a path' },
    { image: 'registry:5000/nginx', version: '1', runs: 'registry:5000/nginx:1', reason: 'a port is no tag' },
    { image: 'nginx:stable', version: '1', runs: 'nginx:stable', reason: 'the image has a tag' },
    { image: 'registry:5000/a/nginx:2', version: '1', runs: 'registry:5000/a/nginx:2', reason: 'it has port and tag' },
    { image: 'nginx@sha256:abc', version: '1', runs: 'nginx@sha256:abc', reason: 'the image has a digest' },
  ])('imageOf() is $runs when $reason', ({ image, version, runs }) => {
    expect(imageOf({ image, version })).toBe(runs);
  });
});

describe('templateOf()', () => {
  const deployment = { name: 'web', image: 'nginx', version: '1.7.8', labels: {}, replicas: 3 };

  it('templateOf() has one container, and labels for name and version', () => {
    expect(templateOf(deployment)).toEqual({
      metadata: { labels: { app: 'web', version: '1.7.8' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1.7.8' }] },
    });
  });

  it('templateOf() wears the labels of the user, but for the version, which must be true', () => {
    const labels = { app: 'nginx', operator: 'deployer', version: 'lies' };
    expect(templateOf({ ...deployment, labels }).metadata?.labels).toEqual({
      app: 'nginx',
      operator: 'deployer',
      version: '1.7.8',
    });
  });

  it('templateOf() does not depend on the number of replicas: to scale is no new version', () => {
    expect(templateOf({ ...deployment, replicas: 9 })).toEqual(templateOf(deployment));
  });

  it('versionIn() reads the version back', () => {
    expect(versionIn(templateOf(deployment))).toBe('1.7.8');
    expect(versionIn({})).toBeUndefined();
  });
});

describe('deploymentName()', () => {
  it('deploymentName() is the name and the version', () => {
    expect(deploymentName('nginx', '1.7.8')).toBe('nginx-1.7.8');
  });
});
