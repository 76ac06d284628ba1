import { VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import { isCustomResourceDefinition } from './custom-resource-definition.ts'
import { fieldAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/**
 * The custom resource definitions among objects, one of each name. Everything else is left out and noted by kind, as a
 * release's manifest or a folder of kustomize bases holds much that a plane without nodes cannot run; what would call a
 * Service is warned of.
 *
 * @throws {VplaneError} `USAGE` when there are objects and none is a definition.
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
      ui.warn(`CustomResourceDefinition "${name}" is there twice and differs: the last one counts`)
    }
    definitions.set(name, object)
  }
  if (definitions.size === 0 && others.length > 0) {
    throw new VplaneError(
      'USAGE',
      `there is no custom resource definition, only ${countKinds(others)}`,
    )
  }
  if (others.length > 0) {
    ui.note(`installs custom resource definitions only, and leaves out ${countKinds(others)}`)
  }
  for (const definition of definitions.values()) {
    warnOfServices(ui, definition, 'whatever needs a conversion between its versions will fail')
  }
  for (const other of others.filter(({ kind }) => kind.endsWith('WebhookConfiguration'))) {
    warnOfServices(ui, other, 'it is left out')
  }
  return [...definitions.values()]
}

/** In a plane without nodes no pod runs, so nothing ever answers behind a Service. */
function warnOfServices(ui: Ui, object: KubeObject, consequence: string): void {
  for (const service of webhookServicesOf(object)) {
    ui.warn(
      `${object.kind} "${object.metadata.name ?? ''}" calls the Service "${service}", ` +
        `which no pod can back in a plane without nodes: ${consequence}`,
    )
  }
}

/** The Services that the API server would call because of an object, as `namespace/name`, without doubles. */
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
  const counts = new Map<string, number>()
  for (const { kind } of objects) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts]
    .map(([kind, count]) => (count === 1 ? kind : `${kind} (${count})`))
    .sort()
    .join(', ')
}
