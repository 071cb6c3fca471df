import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import { builtInKinds } from '#lib/kind/handles/built-in-kinds.ts';

/** Subresources of the core group that the real server has, but the virtual server does not serve. */
const SUBRESOURCES: Readonly<Record<string, string>> = {
  pods: 'attach ephemeralcontainers eviction exec log portforward proxy resize',
  services: 'proxy',
  nodes: 'proxy',
  serviceaccounts: 'token',
};

/** A built-in resource of the real server, and its kind. */
export interface BuiltInResource extends ResourceName {
  readonly kind: string;
}

/** The built-in resources of the real server, one entry for each version. */
export const knownResources: readonly BuiltInResource[] = builtInKinds.map((known) => ({
  ...resourceNameOf(known),
  kind: known.kind,
}));

/** Whether a resource is built into the real server. If the virtual server does not serve it, the response is 501. */
export const isKnownResource = ({ group, version, plural }: ResourceName): boolean =>
  knownResources.some((known) => known.plural === plural && known.group === group && known.version === version);

/** Whether a subresource of the core group exists in the real server, and is not served by the virtual server. */
export const isKnownSubresource = ({ group, plural }: ResourceName, subresource: string): boolean =>
  group === '' &&
  Object.hasOwn(SUBRESOURCES, plural) &&
  SUBRESOURCES[plural]?.split(' ').includes(subresource) === true;
