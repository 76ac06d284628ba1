import { VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import { isCustomResourceDefinition } from './custom-resource-definition.ts'
import { fieldAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/**
 * Selects the custom resource definitions among objects, one for each name. It skips all other objects and notes their
 * kinds: manifests of a release often contain objects that a nodeless plane cannot run. It warns of calls to Services.
 * @throws {VplaneError} `USAGE` when objects exist and none is a definition.
 */
export function selectCrds(objects: readonly KubeObject[], ui: Ui): KubeObject[] {
  const definitions = new Map<string, KubeObject>()
  const others: KubeObject[] = []
  for (const object of objects) {
    if (!isCustomResourceDefinition(object)) {
      others.push(object)
      continue
    }
    const name = object.metadata.name ?? ''
    const known = definitions.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(object)) {
      ui.warn(`CustomResourceDefinition "${name}" exists twice and differs: the last one is used`)
    }
    definitions.set(name, object)
  }
  if (definitions.size === 0 && others.length > 0) {
    const message = `found no custom resource definition, only ${countKinds(others)}`
    throw new VplaneError('USAGE', message)
  }
  if (others.length > 0) {
    ui.note(`installs custom resource definitions only, and skips ${countKinds(others)}`)
  }
  for (const definition of definitions.values()) {
    warnOfServices(ui, definition, 'requests that convert between its versions will fail')
  }
  for (const other of others.filter(({ kind }) => kind.endsWith('WebhookConfiguration'))) {
    warnOfServices(ui, other, 'it is skipped')
  }
  return [...definitions.values()]
}

/** A nodeless plane runs no pods, so Services never answer. */
function warnOfServices(ui: Ui, object: KubeObject, consequence: string): void {
  for (const service of webhookServicesOf(object)) {
    ui.warn(
      `${object.kind} "${object.metadata.name ?? ''}" calls the Service "${service}", ` +
        `which no pod can back in a plane without nodes: ${consequence}`,
    )
  }
}

/** The Services that the API server would call because of an object, as `namespace/name`, each once. */
function webhookServicesOf(object: KubeObject): string[] {
  const clients =
    object.kind === 'CustomResourceDefinition'
      ? [fieldAt(object, 'spec', 'conversion', 'webhook', 'clientConfig')]
      : recordsAt(object, 'webhooks').map((webhook) => webhook['clientConfig'])
  const services = clients
    .map((client) => fieldAt(client, 'service'))
    .filter((service) => service !== undefined && service !== null)
    .map((service) => `${textAt(service, 'namespace') ?? ''}/${textAt(service, 'name') ?? ''}`)
  return [...new Set(services)]
}

/** `ConfigMap, Deployment (2)`. */
function countKinds(objects: readonly KubeObject[]): string {
  return [...Map.groupBy(objects, ({ kind }) => kind)]
    .map(([kind, { length }]) => (length === 1 ? kind : `${kind} (${length})`))
    .sort()
    .join(', ')
}
