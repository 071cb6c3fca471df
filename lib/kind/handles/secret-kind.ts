/** The members of a handle or an object that name its kind. */
interface NamedKindParts {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  /** Only a handle has a plural. The requests use the plural, so a handle with another spelling of the kind counts, too. */
  readonly plural?: unknown;
}

/** True if a handle or an object is of the kind Secret. */
export const isSecret = ({ apiVersion, kind, plural }: NamedKindParts): boolean =>
  apiVersion === 'v1' && (kind === 'Secret' || plural === 'secrets');
