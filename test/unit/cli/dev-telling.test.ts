import { describe, expect, it } from 'vitest';
import type { Ended } from '#lib/cli/dev/child-end.ts';
import { Telling } from '#lib/cli/dev/telling.ts';
import { ApiError } from '#lib/errors.ts';
import { recordingContext } from './run-cli.ts';

const told = (tell: (telling: Telling) => void): string => {
  const { context, written } = recordingContext();
  tell(new Telling(context));
  return written().stderr;
};

describe('Telling', () => {
  it.for([
    [{ by: 'exit', code: 1 }, 'The operator ended with code 1 (what it wrote is above)'],
    [{ by: 'signal', signal: 'SIGKILL' }, 'The operator was ended by SIGKILL, by somebody or for want of memory'],
    [{ by: 'signal', signal: 'SIGTERM' }, 'The operator was ended by SIGTERM'],
    [
      { by: 'failure', error: Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' }) },
      'The operator could not be started (spawn EAGAIN): end other processes, or raise the limits of this user (ulimit -a)',
    ],
    [
      { by: 'failure', error: Object.assign(new Error('spawn /usr/bin/node ENOENT'), { code: 'ENOENT' }) },
      'The operator could not be started (spawn /usr/bin/node ENOENT)',
    ],
  ] as const)('ended() says how, what to do, and what comes: %j', ([ended, words]: readonly [Ended, string]) => {
    expect(told((telling) => telling.ended(ended, 500))).toBe(
      `${words}; another one starts in 0.50 s, or at the next save.\n`,
    );
  });

  it('error() says what the other commands say, and shows no stack of what is of the surroundings', () => {
    const refusal = new ApiError('apply crd', { httpStatus: 403, reason: 'Forbidden', message: 'no' });
    const missing = Object.assign(new Error('ENOSPC: no space left, watch'), { code: 'ENOSPC', syscall: 'watch' });
    expect(told((telling) => telling.error(refusal))).toMatch(/^Cannot apply crd: .*; ask for the right, or .*\n$/);
    expect(told((telling) => telling.error(missing))).toBe('ENOSPC: no space left, watch\n');
  });
});
