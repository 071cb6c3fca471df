import { describe, expect, it } from 'vitest';
import { missingLine } from './shown.ts';

describe('missingLine()', () => {
  it.for([
    ['the same lines', ['a', 'b'], 'a\nb\n'],
    ['lines left out at any place', ['…', 'b', '…', 'd', '…'], 'a\nb\nc\nd\ne\n'],
    ['other moments and ages', ['   4.9 s  started', 'pod   31s   ready'], '  12.0 s  started\npod   2m3s   ready\n'],
    [
      'other names of pods',
      ['  + Pod web-dnmdc: ready', '├─Pod/web-set-dt7vp   1/1'],
      '  + Pod web-2wxq8: ready\n├─Pod/web-set-zzk2b   1/1\n',
    ],
  ] as const)('missingLine() finds nothing missing for %s', ([, shown, printed]) => {
    expect(missingLine(shown, printed)).toBeUndefined();
  });

  it.for([
    ['another line', ['a', 'b'], 'a\nc\n', 'b'],
    ['a foreign pod', ['Pod web-dnmdc: ready'], 'Pod other-dnmdc: ready\n', 'Pod web-dnmdc: ready'],
    ['another order', ['…', 'b', '…', 'a', '…'], 'a\nb\n', 'a'],
    ['lines that are not left out', ['a', 'c'], 'a\nb\nc\n', 'c'],
    ['more at the end', ['a'], 'a\nb\n', 'the end, where "b" was printed'],
  ] as const)('missingLine() names the line for %s', ([, shown, printed, missing]) => {
    expect(missingLine(shown, printed)).toBe(missing);
  });
});
