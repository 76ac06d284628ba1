import { fieldAt, recordsAt, textAt } from './json-field.ts'
import type { KubeObject } from '../api/plane-api.ts'

/** The Services that the API server would call because of an object, as `namespace/name`, without doubles. */
export function webhookServicesOf(object: KubeObject): string[] {
  const clients =
    object.kind === 'CustomResourceDefinition'
      ? [fieldAt(object, 'spec', 'conversion', 'webhook', 'clientConfig')]
      : recordsAt(object, 'webhooks').map((webhook) => webhook['clientConfig'])
  const services = clients
    .map((client) => fieldAt(client, 'service'))
    .filter((service) => service !== undefined && service !== null)
    .map((service) => `${textAt(service, 'namespace')}/${textAt(service, 'name')}`)
  return [...new Set(services)]
}
