import { dnsNames } from '#test/examples/authors/dns-names.ts';
import { portal } from '#test/examples/authors/portal.ts';
import { tenantDefaults } from '#test/examples/authors/tenant-defaults.ts';
import { runner } from '#test/examples/runner.ts';

/** A project of the examples in the pages for authors. */
export default { kinds: [tenantDefaults, dnsNames, portal, runner] };
