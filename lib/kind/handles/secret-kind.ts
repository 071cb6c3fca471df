/** A handle, or an object. Only a handle has a plural. */
type NamedKindParts = Readonly<Partial<Record<'apiVersion' | 'kind' | 'plural', unknown>>>;

/**
 * True if a handle or an object is of the kind Secret. Requests use the plural of a handle, so a handle with another spelling of
 * the kind counts, too.
 */
export const isSecret = ({ apiVersion, kind, plural }: NamedKindParts): boolean =>
  apiVersion === 'v1' && (kind === 'Secret' || plural === 'secrets');
