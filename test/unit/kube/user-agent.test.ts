import { expect, it } from 'vitest';
import { USER_AGENT } from '#lib/kube/transport/user-agent.ts';
import packageJson from '../../../package.json' with { type: 'json' };

it('USER_AGENT names the version of the package when it is released', () => {
  expect(USER_AGENT).toBe(`${packageJson.name}/${packageJson.version}`);
});
