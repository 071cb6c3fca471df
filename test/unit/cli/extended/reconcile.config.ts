import { dnsWith, tenantWith } from '#test/unit/support/tenant-extension.ts';

/** A project of extensions alone. */
export default { kinds: [tenantWith({ annotation: true }), dnsWith()] };
