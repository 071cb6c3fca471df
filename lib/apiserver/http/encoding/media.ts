import { failure, type StatusError } from '#lib/apiserver/machinery/status.ts';

/** The form of response that a client accepts. */
export interface Wanted {
  readonly format: 'json' | 'yaml';
  /** The kind into which the response is converted; absent for the object itself. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList';
  /** The version of the group `meta.k8s.io`, for tables and for responses that contain only metadata. @default 'v1' */
  readonly version?: 'v1' | 'v1beta1';
  /** The Content-Type of the response. */
  readonly mediaType: string;
}

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const rangeOf = (text: string): MediaRange => {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const pairs = parameters.map((parameter): [string, string] => {
    const at = parameter.indexOf('=');
    return [parameter.slice(0, at), parameter.slice(at + 1)];
  });
  return { type: type.toLowerCase(), parameters: new Map(pairs) };
};

const FORMATS: Readonly<Record<string, Wanted['format']>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/*': 'json',
  '*/*': 'json',
};

const AS: Readonly<Record<string, readonly string[]>> = {
  Table: ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'],
  PartialObjectMetadata: ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'],
  PartialObjectMetadataList: ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'],
  APIGroupDiscoveryList: ['apidiscovery.k8s.io/v2'],
};

const wantedOf = ({ type, parameters }: MediaRange): Wanted | undefined => {
  const format = FORMATS[type];
  if (format === undefined) return undefined;
  const mediaType = `application/${format}`;
  const as = parameters.get('as');
  if (as === undefined) return { format, mediaType };
  const [group = '', version = ''] = [parameters.get('g'), parameters.get('v')];
  if (!AS[as]?.includes(`${group}/${version}`)) return undefined;
  return {
    format,
    mediaType: `${mediaType};g=${group};v=${version};as=${as}`,
    as: as as NonNullable<Wanted['as']>,
    ...(version === 'v1beta1' && { version }),
  };
};

const PLAIN = 'application/json, application/yaml';

/** @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/negotiation/errors.go */
const notAcceptable = (hasTable: boolean): StatusError =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${PLAIN}${hasTable ? ', application/json;g=meta.k8s.io;v=v1;as=Table' : ''}`,
  });

/**
 * Returns the first media type in the Accept header that the server can produce; JSON without a header. The function ignores
 * weights, because Kubernetes clients usually send none.
 *
 * @param hasTable - whether the response can be a table; reviews have no table form
 * @throws {StatusError} 406 when no media type fits
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/rest.go (`AllowsMediaTypeTransform`)
 */
export const negotiate = (accept: string | undefined, hasTable = true): Wanted => {
  if (accept === undefined || accept.trim() === '') return { format: 'json', mediaType: 'application/json' };
  for (const text of accept.split(',')) {
    const wanted = wantedOf(rangeOf(text));
    if (wanted && (hasTable || wanted.as !== 'Table')) return wanted;
  }
  throw notAcceptable(hasTable);
};

/** Returns the media type in a Content-Type header, in lower case and without parameters; '' when absent. */
export const contentTypeOf = (header: string | undefined): string => rangeOf(header ?? '').type;
