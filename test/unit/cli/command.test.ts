import { describe, expect, it } from 'vitest';
import { commandOf, HELP } from '#lib/cli/command.ts';

const of = (line: string) => commandOf(line.split(' ').filter((word) => word !== ''));

describe('commandOf()', () => {
  it('understands what the help says', () => {
    const project = { command: 'init', kind: 'Sample', group: 'apps.example.com', name: undefined };
    expect(of('init')).toEqual({ ...project, folder: '.' });
    expect(of('init my-operator')).toEqual({ ...project, folder: 'my-operator' });
    const named = { folder: 'a', kind: 'Web', group: 'web.acme.io', name: 'b' };
    expect(of('init a --kind Web --group web.acme.io --name b')).toEqual({ command: 'init', ...named });
    expect(of('add kind CronTask')).toEqual({ command: 'add-kind', kind: 'CronTask', group: undefined });
    expect(of('add kind CronTask --group a.b')).toEqual({ command: 'add-kind', kind: 'CronTask', group: 'a.b' });
    expect(of('image --tag a:1 --base b@sha256:0')).toEqual({ command: 'image', tag: 'a:1', base: 'b@sha256:0' });
    for (const line of ['', '--help', '-h', 'init --help']) expect(of(line)).toEqual({ command: 'help' });
    expect(of('-v')).toEqual({ command: 'version' });
    for (const option of ['kind', 'group', 'name', 'tag', 'base']) expect(HELP).toContain(`--${option} <`);
  });

  it.for([
    ['create', 'There is no command "create", only init, add, image; see cdk8s-reconcile --help'],
    ['add', 'Cannot add nothing: only a kind can be added; write cdk8s-reconcile add kind CronTask'],
    ['add pod', 'Cannot add "pod": only a kind can be added; write cdk8s-reconcile add kind CronTask'],
    ['add kind', 'The kind has no name; write cdk8s-reconcile add kind CronTask'],
    ['add kind A B', 'Too many words after "add kind A": "B"; see cdk8s-reconcile --help'],
    ['init a b', 'Too many words after "init a": "b"; see cdk8s-reconcile --help'],
    ['image .', 'Too many words after "image": "."; see cdk8s-reconcile --help'],
    ['image --kind A', '"image" has no option --kind, only --tag, --base; see cdk8s-reconcile --help'],
    ['init --colour', "Unknown option '--colour'; see cdk8s-reconcile --help"],
  ])('refuses "%s"', ([line = '', message = '']) => {
    expect(() => of(line)).toThrow(message);
  });
});
