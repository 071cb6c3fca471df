const LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const LABEL_1123 = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** The maximum length of a DNS label, in characters. */
export const LABEL_LENGTH = 63;

/** The maximum length of `metadata.name` for most kinds, in characters. */
export const SUBDOMAIN_LENGTH = 253;

/**
 * Whether a name is a DNS-1035 label: at most 63 lower-case letters, digits and dashes. The first character is a letter, and the
 * last one is not a dash.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/util/validation/validation.go (IsDNS1035Label)
 */
export const isDnsLabel = (name: string): boolean => name.length <= LABEL_LENGTH && LABEL.test(name);

/**
 * Whether a name is a DNS-1123 label, the format of namespace names. A DNS-1123 label has the format of {@link isDnsLabel}, but
 * may also start with a digit.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/util/validation/validation.go (IsDNS1123Label)
 */
export const isDns1123Label = (name: string): boolean => name.length <= LABEL_LENGTH && LABEL_1123.test(name);

/**
 * Whether a name is a DNS-1123 subdomain: parts of lower-case letters, digits and dashes, separated by dots, at most 253
 * characters. Each part starts and ends with a letter or digit.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/util/validation/validation.go (IsDNS1123Subdomain)
 */
export const isDnsSubdomain = (name: string): boolean => name.length <= SUBDOMAIN_LENGTH && SUBDOMAIN.test(name);

/** A name of a label without its prefix, or a value that is not empty: 1 to 63 characters. */
const WORD = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

/** True for the name of a label, such as `acme.io/team`. */
export const isLabelName = (name: string): boolean => {
  const slash = name.indexOf('/');
  return (slash === -1 || isDnsSubdomain(name.slice(0, slash))) && WORD.test(name.slice(slash + 1));
};

/** True for the value of a label; an empty value is valid. */
export const fitsLabelValue = (value: unknown): boolean =>
  typeof value === 'string' && (value === '' || WORD.test(value));
