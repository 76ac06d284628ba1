import type { Finding } from '../../../control-plane/status/finding.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { MANAGED_BY, PLANE_LABEL } from '../../../manifests/object-names.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import { kubectl } from '../context/kubectl-hint.ts'
import { storedRecordOf } from '../record/record-store.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { recordsAt, textsAt } from '../../../shared/json-fields.ts'

/** Existing objects with the paths of objects of a plane. */
export type ExistingObjects = ReadonlyMap<string, KubeObject>

/** Reads objects by their paths. */
export async function existingObjects(
  api: Pick<HostApi, 'get'>,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ExistingObjects> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const object = await unlessRefused(api.get(path, { signal }))
      return object === undefined ? [] : [[path, object] as const]
    }),
  )
  return new Map(found.flat())
}

/** Whether an object belongs to the plane of this name. */
function isOfPlane({ metadata: { labels = {} } }: KubeObject, name: string): boolean {
  return labels[MANAGED_BY] === 'vplane' && labels[PLANE_LABEL] === name
}

interface NamedPlace {
  name: string
  namespace: string
  hostContext?: string | undefined
}

/** Reports existing objects of others, and objects of the plane that are being deleted. */
export function existingFindings(objects: ExistingObjects, place: NamedPlace): Finding[] {
  const all = [...objects.values()]
  const foreign = all.filter((object) => !isOfPlane(object, place.name))
  const leaving = all.filter((object) => isOfPlane(object, place.name) && isLeaving(object))
  return [
    ...(foreign.length > 0 ? [foreignFinding(foreign, place)] : []),
    ...(leaving.length > 0 ? [leavingFinding(leaving, place)] : []),
    ...recordFindings(all, place),
  ]
}

function foreignFinding(objects: readonly KubeObject[], place: NamedPlace): Finding {
  const words = objects.map((object) => {
    const maker = makerOf(object)
    return `${namedKind(object)}${maker === undefined ? '' : ` (of ${maker})`}`
  })
  return {
    subject: 'names',
    level: 'problem',
    message: `not made by vplane for "${place.name}", but called like it: ${words.join(', ')}`,
    hint: `choose another name, or remove them: ${kubectl(place, `delete ${typesOf(objects)}`)}`,
  }
}

function leavingFinding(objects: readonly KubeObject[], place: NamedPlace): Finding {
  const words = objects.map((object) => {
    const finalizers = textsAt(object.metadata, 'finalizers')
    return finalizers.length > 0
      ? `${namedKind(object)} (waits for ${finalizers.join(', ')})`
      : namedKind(object)
  })
  return {
    subject: 'names',
    level: 'problem',
    message: `still being deleted: ${words.join(', ')}`,
    hint: kubectl(place, `wait --for=delete ${typesOf(objects)} --timeout=60s`),
  }
}

/** A new plane would overwrite an unreadable record, and volumes without a record. */
function recordFindings(objects: readonly KubeObject[], place: NamedPlace): Finding[] {
  const record = objects.map((object) => storedRecordOf(object)).find((one) => one !== undefined)
  if (record?.record instanceof VplaneError) {
    const { hints, message } = record.record
    const hint = hints[0] ?? { action: 'delete', plane: place }
    return [{ subject: 'record', level: 'problem', message, hint }]
  }
  const volumes = objects.filter(
    (object) => object.kind === 'PersistentVolumeClaim' && isOfPlane(object, place.name),
  )
  if (record !== undefined || volumes.length === 0) {
    return []
  }
  return [
    {
      subject: 'volumes',
      level: 'problem',
      message: `${volumes.map(namedKind).join(', ')} holds data of an earlier plane "${place.name}" whose keys are gone`,
      hint: `choose another name, or remove the data: ${kubectl(place, `delete ${typesOf(volumes)}`)}`,
    },
  ]
}

/** Returns the creator of an object: its owner, its label, or its first field manager. */
function makerOf({ metadata }: KubeObject): string | undefined {
  const [owner] = recordsAt(metadata, 'ownerReferences')
  const [first] = recordsAt(metadata, 'managedFields')
  if (owner !== undefined) {
    return `${String(owner['kind'])} "${String(owner['name'])}"`
  }
  const manager = metadata.labels?.[MANAGED_BY] ?? first?.['manager']
  return typeof manager === 'string' ? manager : undefined
}

function namedKind({ kind, metadata }: KubeObject): string {
  return `${kind} "${metadata.name}"`
}

/** Example: `service/a secret/b`. */
function typesOf(objects: readonly KubeObject[]): string {
  return objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`).join(' ')
}
