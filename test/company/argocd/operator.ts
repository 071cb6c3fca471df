import { run } from '#lib/runtime.ts';
import { kindsOf, type ReleaseName } from './kinds.ts';

/** The operator of a release, which the thread of conversions loads, too. */
await run({ kinds: kindsOf(process.env['RELEASE'] as ReleaseName) });
