import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SchedulerChoice } from '../../../control-plane/spec/fields/host-spec.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { type HostMetadata, toHostMetadata } from '../host-metadata.ts'
import { hostNameOf } from '../host-name.ts'
import { OBJECT_FIELDS } from '../object-fields.ts'
import { provided } from '../reading.ts'
import type { Refusal } from '../refusal.ts'
import { volumeNameOf } from './volume.ts'
import { type Json, recordAt, textAt } from '../../../shared/json-fields.ts'

export interface ClaimContext {
  scope: SyncScope
  /** Storage classes of the host by those of the plane; undefined is the host's default one. */
  storageClasses: ReadonlyMap<string, string | undefined>
  /** Which scheduler assigns pods to nodes. @default host */
  scheduler?: SchedulerChoice | undefined
}

const NO_SELECTOR = 'refuse: is not possible in a plane: the host always creates a new volume'

/** The decision for each field of a PersistentVolumeClaim. */
export const CLAIM_FIELDS = {
  ...OBJECT_FIELDS,
  spec: {
    accessModes: 'copy',
    dataSource: { apiGroup: 'translate', kind: 'translate', name: 'translate' },
    dataSourceRef: {
      apiGroup: 'translate',
      kind: 'translate',
      name: 'translate',
      namespace: 'translate',
    },
    resources: { limits: 'copy', requests: 'copy' },
    selector: { matchExpressions: NO_SELECTOR, matchLabels: NO_SELECTOR },
    storageClassName: 'translate',
    volumeAttributesClassName: 'refuse: is not possible in a plane',
    volumeMode: 'copy',
    volumeName: 'translate',
  },
  status: 'drop',
} as const satisfies FieldDecisions

/** In this annotation a scheduler tells a provisioner which node it has chosen for the first pod that uses a claim. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/**
 * The host claim of a virtual one, or why the host must not have it. It has no owner, so that a plane's data can outlive
 * the plane. It never gets an existing volume: only a new one, or a copy of one in its own virtual namespace.
 */
export function toHostClaim(virtual: KubeObject, context: ClaimContext): KubeObject | Refusal {
  const spec = recordAt(virtual, 'spec') ?? {}
  const refusals: string[] = []
  const volume = textAt(spec, 'volumeName')
  if (volume !== undefined && volume !== volumeNameOf(virtual)) {
    refusals.push('spec.volumeName is not possible in a plane: the host chooses the volume')
  }
  const storageClass = storageClassOf(spec, context, refusals)
  const source = sourceOf(virtual, context, refusals)
  return refusals.length > 0
    ? { refusals }
    : {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: hostMetadata(virtual, context),
        spec: { ...copiedFields(CLAIM_FIELDS.spec, spec), ...storageClass, ...source },
      }
}

/**
 * Users' annotations are not copied: provisioners of the host may take them as orders to take over an existing volume, to
 * clone one of another namespace, or to use a path of a node. The only one that is copied is the node that a scheduler of
 * the plane has selected, near which the volume is needed: the pod is created there once the volume exists.
 */
function hostMetadata({ metadata }: KubeObject, { scheduler, scope }: ClaimContext): HostMetadata {
  const own = toHostMetadata(
    { scope, resource: 'persistentvolumeclaims' },
    { metadata: { ...metadata, annotations: {} } },
  )
  const node = scheduler === 'virtual' ? metadata.annotations?.[SELECTED_NODE] : undefined
  return node === undefined
    ? own
    : { ...own, annotations: { ...own.annotations, [SELECTED_NODE]: node } }
}

/** Without a class, the host uses its default one; with an empty one, it would bind any free volume. */
function storageClassOf(spec: Json, { storageClasses }: ClaimContext, refusals: string[]): Json {
  const asked = spec['storageClassName'] ?? undefined
  if (asked === undefined) {
    return {}
  }
  const name = typeof asked === 'string' ? asked : ''
  if (name === '') {
    refusals.push(
      'spec.storageClassName "" is not possible in a plane: the host always creates a new volume, omit the field to use the default class',
    )
  } else if (!storageClasses.has(name)) {
    refusals.push(
      `spec.storageClassName "${name}" is not one of the plane's storage classes, "sync.storageClasses: [${name}]" in the plane's spec would allow it`,
    )
  }
  return provided({ storageClassName: storageClasses.get(name) })
}

/** Only a claim of the same virtual namespace may be copied; the API sets both fields to the same value. */
function sourceOf(virtual: KubeObject, { scope }: ClaimContext, refusals: string[]): Json {
  const spec = recordAt(virtual, 'spec') ?? {}
  const source = recordAt(spec, 'dataSourceRef') ?? recordAt(spec, 'dataSource')
  if (source === undefined) {
    return {}
  }
  const name = textAt(source, 'name')
  const isClaim =
    textAt(source, 'kind') === 'PersistentVolumeClaim' && textAt(source, 'apiGroup') === undefined
  const { namespace } = virtual.metadata
  const isNear = [undefined, namespace].includes(textAt(source, 'namespace'))
  if (!isClaim || !isNear || name === undefined) {
    refusals.push(
      'spec.dataSource is only possible with a PersistentVolumeClaim of the same namespace',
    )
    return {}
  }
  const kind = 'PersistentVolumeClaim'
  return { dataSource: { kind, name: hostNameOf(scope, { name, namespace }) } }
}
