import { run } from '#lib/runtime.ts';
import { RELEASES, type ReleaseName } from './kinds.ts';

/** The operator of a release; the thread of conversions loads it as well. */
await run({ kinds: RELEASES[process.env['RELEASE'] as ReleaseName] });
