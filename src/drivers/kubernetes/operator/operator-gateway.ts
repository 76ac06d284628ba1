import { PRESETS } from '../../../control-plane/spec/presets.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { planesName, wakesName } from '../../../manifests/gateway-records.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import { OPERATOR_GATEWAY, OPERATOR_GATEWAY_LABELS } from '../../../manifests/object-names.ts'
import { checksumOf } from '../../../manifests/pod-files.ts'
import { GATEWAY_PORTS } from '../../../manifests/ports.ts'
import { fillTemplate } from '../../../manifests/templates/fill-template.ts'
import { GATEWAY, loadTemplates, readProgram } from '../../../manifests/templates/load-templates.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { recordsAt, textAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { isWholeObject, type KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from '../host/host-api.ts'
import { OPERATOR } from './operator-objects.ts'

/** The host lets a Role be bound only when it exists. */
const ORDER = ['ServiceAccount', 'Role', 'RoleBinding', 'ConfigMap', 'Deployment']

/**
 * Has the gateway of an operator run, with the image of the operator. The host deletes it with the operator.
 * @throws {VplaneError} `NOT_FOUND` without the Deployment of the operator, and the refusal of the host.
 */
export async function applyOperatorGateway(
  api: Pick<HostApi, 'apply' | 'get'>,
  namespace: string,
  { programOf, signal }: { programOf?: typeof readProgram | undefined; signal: AbortSignal },
): Promise<void> {
  const operator = await api.get(objectPath('deployments', { name: OPERATOR, namespace }), {
    signal,
  })
  if (operator === undefined) {
    throw new VplaneError('NOT_FOUND', `namespace "${namespace}" has no operator`)
  }
  for (const object of operatorGatewayObjects(operator, programOf)) {
    await api.apply(objectPathOf(object), object, { signal })
  }
}

/** Deletes the gateway of an operator. */
export async function deleteOperatorGateway(
  api: Pick<HostApi, 'delete' | 'get'>,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const operator = await api.get(objectPath('deployments', { name: OPERATOR, namespace }), {
    signal,
  })
  // The Deployment is the last one, so that an interrupted deletion is noticed.
  const objects = operator === undefined ? [] : operatorGatewayObjects(operator, () => '')
  for (const object of objects) {
    await unlessStatus([404], api.delete(objectPathOf(object), { signal }))
  }
}

/** The objects of the gateway of an operator, whose Deployment owns them, in the order of their creation. */
function operatorGatewayObjects(
  operator: KubeObject,
  programOf: typeof readProgram = readProgram,
): Manifest[] {
  const { name = '', namespace = '', uid = '' } = operator.metadata
  const pod = ['spec', 'template', 'spec'] as const
  const [container] = recordsAt(operator, ...pod, 'containers')
  const pullSecrets = recordsAt(operator, ...pod, 'imagePullSecrets')
  const bundle = programOf('gateway')
  const checksum = checksumOf({ bundle })
  const labels = OPERATOR_GATEWAY_LABELS
  const values = {
    gateway: {
      name: OPERATOR_GATEWAY,
      planesName: planesName(OPERATOR_GATEWAY),
      wakesName: wakesName(OPERATOR_GATEWAY),
      labels,
      selector: labels,
      podLabels: labels,
      podAnnotations: { 'vplane.dev/bundle-checksum': checksum },
      affinity: undefined,
      image: textAt(container, 'image'),
      resources: PRESETS.nano.keeper.resources,
      bundle,
      checksum,
      port: GATEWAY_PORTS.health,
    },
    plane: { namespace },
    pods: {
      userId: 65_532,
      nodeSelector: undefined,
      tolerations: undefined,
      priorityClassName: undefined,
    },
    images: {
      pullPolicy: textAt(container, 'imagePullPolicy'),
      pullSecrets: pullSecrets.length === 0 ? undefined : pullSecrets,
    },
  }
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid }]
  return loadTemplates()
    .filter(({ path }) => path.startsWith(GATEWAY))
    .flatMap((template) => fillTemplate(template, values))
    .flatMap((value) => {
      if (!isWholeObject(value) || value.metadata.name === undefined) {
        return []
      }
      const { name: own, ...metadata } = value.metadata
      return { ...value, metadata: { ...metadata, name: own, labels, ownerReferences } }
    })
    .toSorted((left, right) => rankOf(left) - rankOf(right))
}

function rankOf({ kind }: KubeObject): number {
  return ORDER.indexOf(kind)
}
