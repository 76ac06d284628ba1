import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SchedulerChoice } from '../../../control-plane/spec/fields/host-spec.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { type HostMetadata, toHostMetadata } from '../host-metadata.ts'
import { hostNameOf } from '../host-name.ts'
import { fieldsBeside, picked } from '../reading.ts'
import { volumeNameOf } from './volume.ts'
import { type Json, recordAt, textAt } from '../../../shared/json-fields.ts'

export interface ClaimContext {
  scope: SyncScope
  /** Storage classes of the host by those of the plane that stand for them; undefined is the host's default one. */
  storageClasses: ReadonlyMap<string, string | undefined>
  /** Who chooses the nodes of pods. @default host */
  scheduler?: SchedulerChoice | undefined
}

/** How a scheduler tells a provisioner which node it has chosen for the first pod that uses a claim. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

const KEPT_FIELDS = ['accessModes', 'resources', 'volumeMode']

/**
 * The host claim of a virtual one, or why the host must not have it. It has no owner, so that a plane's data can outlive
 * the plane; and it can only get a new volume, or a copy of one of its own namespace's, never one that is there.
 */
export function toHostClaim(
  virtual: KubeObject,
  context: ClaimContext,
): KubeObject | { refusals: string[] } {
  const spec = recordAt(virtual, 'spec') ?? {}
  const refusals: string[] = []
  const volume = textAt(spec, 'volumeName')
  if (volume !== undefined && volume !== volumeNameOf(virtual)) {
    refusals.push('spec.volumeName is not possible in a plane: the host chooses the volume')
  }
  if (textAt(spec, 'volumeAttributesClassName') !== undefined) {
    refusals.push('spec.volumeAttributesClassName is not possible in a plane')
  }
  const selector = recordAt(spec, 'selector') ?? {}
  if (fieldsBeside(selector, []).length > 0) {
    refusals.push(
      'spec.selector is not possible in a plane: the host gives no volume that is there, but a new one',
    )
  }
  const storageClass = storageClassOf(spec, context, refusals)
  const source = sourceOf(virtual, context, refusals)
  return refusals.length > 0
    ? { refusals }
    : {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: hostMetadata(virtual, context),
        spec: { ...picked(spec, KEPT_FIELDS), ...storageClass, ...source },
      }
}

/**
 * Annotations are orders to the host's provisioners, each of which has its own: to take over a volume that is there, to
 * clone one of another namespace, to use some path of a node. The one that goes there says near which node a volume is
 * needed, and only from a scheduler of the plane: the pod comes there when there is a volume.
 */
function hostMetadata({ metadata }: KubeObject, { scheduler, scope }: ClaimContext): HostMetadata {
  const made = toHostMetadata(scope, { metadata: { ...metadata, annotations: {} } })
  const node = scheduler === 'virtual' ? metadata.annotations?.[SELECTED_NODE] : undefined
  return node === undefined
    ? made
    : { ...made, annotations: { ...made.annotations, [SELECTED_NODE]: node } }
}

/** Without a class the host's default one; an empty one would bind any volume of the host that is free. */
function storageClassOf(spec: Json, { storageClasses }: ClaimContext, refusals: string[]): Json {
  const asked = spec['storageClassName'] ?? undefined
  if (asked === undefined) {
    return {}
  }
  const name = typeof asked === 'string' ? asked : ''
  if (name === '') {
    refusals.push(
      'spec.storageClassName "" is not possible in a plane: the host gives no volume that is there, left out it means the default class',
    )
  } else if (!storageClasses.has(name)) {
    refusals.push(
      `spec.storageClassName "${name}" is not one of the plane's storage classes, "sync.storageClasses: [${name}]" in the plane's spec would allow it`,
    )
  }
  const hostClass = storageClasses.get(name)
  return hostClass === undefined ? {} : { storageClassName: hostClass }
}

/** A claim of the same virtual namespace may be copied; the API fills both fields in with the same. */
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
