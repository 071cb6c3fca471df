import { run } from '#lib/runtime.ts';
import { greeting } from '#test/examples/greeting.ts';
import { web } from '#test/examples/web.ts';

/** The entry point of an operator whose kinds have versions, as the thread of conversions loads it. */
await run({ kinds: [greeting, web] });
