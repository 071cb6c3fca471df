import { run } from '#lib/runtime.ts';
import { kindsOf, type ReleaseName } from './kinds.ts';

/** The operator of a release; the thread of conversions loads it as well. */
await run({ kinds: kindsOf(process.env['RELEASE'] as ReleaseName) });
