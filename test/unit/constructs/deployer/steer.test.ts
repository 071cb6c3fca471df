import { describe, expect, it } from 'vitest';
import type { StoredDeployer } from '#constructs/deployer/schema.ts';
import { steerDeployer } from '#constructs/deployer/steer.ts';
import { templateOf } from '#constructs/deployer/template.ts';

const now = { name: 'web', image: 'nginx', version: '2', labels: {} as Record<string, string>, replicas: 3 };

/** The deployment that `undo` requests, from the deployment of the revision to return to. */
const undone = (before: typeof now): typeof now => {
  const revision = { name: 'web-1', hash: 'one', number: 1, template: templateOf(before) };
  const deployer = { metadata: { name: 'web' }, spec: { paused: false, deployment: now } } as unknown as StoredDeployer;
  const answer = steerDeployer(deployer, { verb: 'undo', id: '1', revisions: [revision], to: 'one' });
  if ('refused' in answer) throw new Error(answer.refused);
  return Object.assign({}, now, ...answer.edits.map(({ path, value }) => ({ [path.at(-1) ?? '']: value })));
};

describe('steerDeployer()', () => {
  it.each([
    { labels: {}, why: 'the user set none' },
    { labels: { team: 'a' }, why: 'the user set others' },
    { labels: { app: 'shop' }, why: 'the user replaced app' },
    { labels: { version: 'ignored' }, why: 'the operator replaced version' },
  ])(
    'steerDeployer() restores the template of the revision by undo when labels are $labels, because $why',
    ({ labels }) => {
      const before = { ...now, version: '1', labels };
      expect(templateOf(undone(before))).toEqual(templateOf(before));
    },
  );
});
