import { describe, expect, it } from 'vitest';
import { checkedGroup, checkedProject, kindNamesOf } from '#lib/cli/scaffold/names.ts';

describe('kindNamesOf()', () => {
  it.for([
    ['Website', 'website', 'website'],
    ['CronTask', 'cronTask', 'cron-task'],
    ['HTTPRoute', 'httpRoute', 'http-route'],
    ['TCP', 'tcp', 'tcp'],
    ['S3Bucket', 's3Bucket', 's3-bucket'],
    ['Class', 'classKind', 'class'],
    ['S', 'sKind', 's'],
  ])('calls files and constant after %s', ([kind = '', constant, file]) => {
    expect(kindNamesOf(kind)).toEqual({ kind, constant, file });
  });

  it.for(['website', 'Web-Site', '', 'Ä', '9Lives', '../A', 'A'.repeat(51)])('refuses "%s"', (kind) => {
    expect(() => kindNamesOf(kind)).toThrow(`Cannot name a kind "${kind}": it must be`);
  });

  it.for(['Chart', 'Index', 'ConfigMap'])('refuses %s, which means something else in the project', (kind) => {
    expect(() => kindNamesOf(kind)).toThrow(/uses App, .* take another name/);
  });
});

describe('checkedGroup()', () => {
  it('takes domains, and refuses what is none or belongs to Kubernetes', () => {
    expect(checkedGroup('apps.acme.io')).toBe('apps.acme.io');
    for (const group of ['acme', 'Apps.acme.io', 'apps_acme.io', '', 'a..b'])
      expect(() => checkedGroup(group)).toThrow(`Cannot use the group "${group}": it must be a domain of yours`);
    for (const group of ['apps.k8s.io', 'kubernetes.io']) expect(() => checkedGroup(group)).toThrow('reserved');
  });
});

describe('checkedProject()', () => {
  it('takes what can name an operator and an image, and refuses the rest', () => {
    expect(checkedProject('my-operator')).toBe('my-operator');
    for (const name of ['My', '1a', 'a-', 'a.b', '', 'a'.repeat(41)])
      expect(() => checkedProject(name)).toThrow(`Cannot name a project "${name}": it must be at most 40`);
  });
});
