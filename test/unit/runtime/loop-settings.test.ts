import { getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { processSettingsOf } from '#lib/runtime/settings.ts';

const loopOf = (...given: Parameters<typeof processSettingsOf>) => processSettingsOf(...given).loop;

describe('settingsOf()', () => {
  it('settingsOf() audits caches every 10 hours by default, never for 0, and goes by run() before the environment', () => {
    expect(loopOf({}).resyncMs).toBe(36_000_000);
    expect(loopOf({ RESYNC_SECONDS: '0' }).resyncMs).toBe(0);
    expect(loopOf({ RESYNC_SECONDS: '600' }, { resyncSeconds: 60 }).resyncMs).toBe(60_000);
    expect(loopOf({}, { resyncSeconds: 604_800 }).resyncMs).toBe(604_800_000);
  });

  it('settingsOf() takes resources of 128 KiB by default, and of any size for 0', () => {
    expect(loopOf({}).maxResourceBytes).toBe(131_072);
    expect(loopOf({ MAX_RESOURCE_KIB: '0' }).maxResourceBytes).toBe(Infinity);
    expect(loopOf({ MAX_RESOURCE_KIB: '0' }).maxResourcesBytes).toBe(Infinity);
    expect(loopOf({}).maxResourcesBytes).toBe(getHeapStatistics().heap_size_limit * 0.25);
    expect(loopOf({ MAX_RESOURCE_KIB: '64' }, { maxResourceKiB: 16 }).maxResourceBytes).toBe(16_384);
  });

  it.each(['-1', '59', '604801', '1.5', '1e9', '10h', ' ', '0x40'])(
    'settingsOf() refuses RESYNC_SECONDS "%s" with one line',
    (value) => {
      const refused = (): unknown => processSettingsOf({ RESYNC_SECONDS: value });
      expect(refused).toThrow(ConfigurationError);
      expect(refused).toThrow(
        `RESYNC_SECONDS is "${value}": set it to 0 (no audits) or a whole number from 60 to 604800`,
      );
    },
  );

  it.each(['15', '4097', '128KiB', '-0'])('settingsOf() refuses MAX_RESOURCE_KIB "%s" with one line', (value) => {
    const refused = (): unknown => processSettingsOf({ MAX_RESOURCE_KIB: value });
    expect(refused).toThrow(`MAX_RESOURCE_KIB is "${value}": set it to 0 (no limit) or a whole number from 16 to 4096`);
  });

  it.each([-1, 15, 60.5, 1e9, Number.NaN, Infinity])('settingsOf() refuses %s of run()', (value) => {
    expect(() => processSettingsOf({}, { resyncSeconds: value })).toThrow(ConfigurationError);
    expect(() => processSettingsOf({}, { maxResourceKiB: value })).toThrow(ConfigurationError);
  });
});
