import { expect, it } from 'vitest';
import { hostLog } from '#lib/sim/world/host/host-log.ts';

it('hostLog() notes a message with its key, its reason and its error, and leaves out messages of level debug', () => {
  const noted: string[] = [];
  const log = hostLog((text) => void noted.push(text));
  log.debug({}, 'detail');
  log.info({}, 'started');
  log.child({}).error({ key: 'default/web', reason: 'Conflict', error: new Error('taken') }, 'failed');
  expect(noted).toEqual(['started', 'failed · default/web · Conflict · taken']);
});
