import { describe, expect, it } from 'vitest';
import type { SoakSegment } from '#test/campaign/soak/segment.ts';
import { casesNow } from '#test/cases.ts';
import { startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { runSegment } from './soak/run-segment.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The result of a segment, for the campaign. */
    soak?: SoakSegment;
  }
}

const minutes = Number(process.env['SOAK_MINUTES'] ?? 0);
const resources = Number(process.env['SOAK_RESOURCES'] ?? 2000);
/** Creations, rests and checks on a busy machine. */
const MORE_MS = 90 * 60_000;

const { first, count } = casesNow({ usual: 1, soak: 1 });
const segments = Array.from({ length: count }, (_, index) => first + index);

describe.skipIf(minutes === 0)(`two operators of ${resources} resources`, () => {
  it.for(segments)(
    `are up to date and at rest after ${minutes} minutes with disturbances (segment %i)`,
    { timeout: minutes * 60_000 + MORE_MS },
    async (segment, { task }) => {
      // The driver does the work of the kubelets.
      await using plane = await startControlPlane({ scheduler: false, kwok: false, audit: false });
      await installBundle(plane);
      const result = await runSegment(plane, { segment, minutes, resources });
      task.meta.soak = result;
      expect(result.failures).toEqual([]);
    },
  );
});
