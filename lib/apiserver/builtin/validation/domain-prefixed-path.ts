import { invalidValue, required } from '#lib/apiserver/machinery/field-error.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPathRegex = new RegExp(`^${httpPath}$`);

/**
 * Validates a path with a domain as its first segment, such as `example.com/controller`.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/validation/validation.go (`IsDomainPrefixedPath`)
 */
export const checkDomainPrefixedPath = (at: string, text: string): FieldErrors => {
  if (text === '') return [required(at)];
  const slash = text.indexOf('/');
  const [host, path] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (host === '' || path === '') {
    return [invalidValue(at, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return [
    ...checkText(at, host, isDns1123Subdomain),
    ...(httpPathRegex.test(path)
      ? fine
      : [invalidValue(at, path, `Invalid path (regex used for validation is '${httpPath}')`)]),
  ];
};
