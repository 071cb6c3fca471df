import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { apiVersionText } from '#lib/apiserver/machinery/resources.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ApiCatalogue, CatalogueEntry } from '../discovery/catalogue.ts';
import type { Wanted } from '../encoding/media.ts';
import { isNewerEvents, toNewerEvent } from '../event-alias.ts';
import { partialOf, printerOf, toTable } from '../table/table.ts';

/** The properties of a request on which the form of its response depends. */
export interface Showing {
  readonly resource: ResourceName;
  readonly wanted: Wanted;
  /** The parameter `includeObject` of the query, for tables. */
  readonly includeObject?: string | undefined;
}

const asJson = ({ format }: Wanted): string => `application/${format}`;

const partialList = (body: JsonObject, version = 'v1'): JsonObject => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: body['metadata'],
  items: (body['items'] as readonly JsonObject[]).map((item) => partialOf(item, version)),
});

/** Converts responses to the form that a client accepts: the object itself, a table, or metadata only. */
export class ResponseFormatter {
  readonly #catalogue: ApiCatalogue;
  readonly #now: () => number;

  /** @param now - epoch milliseconds, for ages */
  constructor(catalogue: ApiCatalogue, now: () => number) {
    this.#catalogue = catalogue;
    this.#now = now;
  }

  /** Converts a response to the wanted form. A Status stays unchanged. */
  show(body: JsonObject, showing: Showing): { readonly body: JsonObject; readonly mediaType: string } {
    const { resource, wanted } = showing;
    const served = this.#catalogue.find(resource);
    if (body['kind'] !== 'Status' && served !== undefined) {
      if (wanted.as === 'Table') return { body: this.#table(served, body, showing), mediaType: wanted.mediaType };
      if (wanted.as === 'PartialObjectMetadata') {
        return { body: partialOf(body, wanted.version), mediaType: wanted.mediaType };
      }
      if (wanted.as === 'PartialObjectMetadataList' && Array.isArray(body['items'])) {
        return { body: partialList(body, wanted.version), mediaType: wanted.mediaType };
      }
    }
    return { body: isNewerEvents(resource) ? toNewerEvent(body) : body, mediaType: asJson(wanted) };
  }

  /** Returns the function that formats the objects of watch events. */
  ofEvents(
    resource: ResourceName,
    wanted: Wanted,
    includeObject?: string,
  ): (object: JsonObject, isFirst: boolean) => JsonObject {
    const served = this.#catalogue.find(resource);
    if (served !== undefined && wanted.as === 'Table') {
      return (object, isFirst) =>
        this.#table(served, object, { resource, wanted, includeObject, isHeadless: !isFirst });
    }
    if (wanted.as === 'PartialObjectMetadata' || wanted.as === 'PartialObjectMetadataList') {
      return (object) => partialOf(object, wanted.version);
    }
    return isNewerEvents(resource) ? toNewerEvent : (object) => object;
  }

  #table(
    served: CatalogueEntry,
    body: JsonObject,
    { includeObject, isHeadless = false, wanted }: Showing & { readonly isHeadless?: boolean },
  ): JsonObject {
    const typeMeta = { apiVersion: apiVersionText(served), kind: served.kind };
    const { version } = wanted;
    return toTable(printerOf(served), body, { nowMs: this.#now(), includeObject, isHeadless, typeMeta, version });
  }
}
