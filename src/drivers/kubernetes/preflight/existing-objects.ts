import type { Finding } from '../../../control-plane/status/finding.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { MANAGED_BY } from '../../../manifests/object-names.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import { kubectl } from '../context/kubectl-hint.ts'
import { isOfPlane, isShared } from '../context/object-names.ts'
import type { DiagnosedPlace } from '../context/problem.ts'
import { titleOf } from '../namespace/leftovers.ts'
import { storedRecordOf } from '../record/record-store.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { recordsAt, textsAt } from '../../../shared/json-fields.ts'

/** By path. */
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

/** Reports existing objects of others, and objects of the plane that are being deleted. */
export function existingFindings(objects: ExistingObjects, place: DiagnosedPlace): Finding[] {
  const all = [...objects.values()]
  const foreign = all.filter((object) => !isOfPlane(object, place.name) && !isShared(object))
  const leaving = all.filter((object) => isOfPlane(object, place.name) && isLeaving(object))
  return [
    ...(foreign.length > 0 ? [foreignFinding(foreign, place)] : []),
    ...(leaving.length > 0 ? [leavingFinding(leaving, place)] : []),
    ...recordFindings(all, place),
  ]
}

function foreignFinding(objects: readonly KubeObject[], place: DiagnosedPlace): Finding {
  const titles = objects.map((object) => {
    const creator = creatorOf(object)
    return `${titleOf(object)}${creator === undefined ? '' : ` (of ${creator})`}`
  })
  return {
    subject: 'names',
    level: 'problem',
    message: `vplane did not create these objects, which have names of "${place.name}": ${titles.join(', ')}`,
    hint: `choose another name, or delete them: ${kubectl(place, `delete ${typesOf(objects)}`)}`,
  }
}

function leavingFinding(objects: readonly KubeObject[], place: DiagnosedPlace): Finding {
  const titles = objects.map((object) => {
    const finalizers = textsAt(object.metadata, 'finalizers')
    return finalizers.length > 0
      ? `${titleOf(object)} (waits for ${finalizers.join(', ')})`
      : titleOf(object)
  })
  return {
    subject: 'names',
    level: 'problem',
    message: `still being deleted: ${titles.join(', ')}`,
    hint: kubectl(place, `wait --for=delete ${typesOf(objects)} --timeout=60s`),
  }
}

/** A new plane would overwrite an unreadable record, and volumes without a record. */
function recordFindings(objects: readonly KubeObject[], place: DiagnosedPlace): Finding[] {
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
      message: `${volumes.map(titleOf).join(', ')} contains data of an earlier plane "${place.name}" whose keys are missing`,
      hint: `choose another name, or delete the data: ${kubectl(place, `delete ${typesOf(volumes)}`)}`,
    },
  ]
}

/** Its owner, its label, or its first field manager. */
function creatorOf({ metadata }: KubeObject): string | undefined {
  const [owner] = recordsAt(metadata, 'ownerReferences')
  const [first] = recordsAt(metadata, 'managedFields')
  if (owner !== undefined) {
    return `${String(owner['kind'])} "${String(owner['name'])}"`
  }
  const manager = metadata.labels?.[MANAGED_BY] ?? first?.['manager']
  return typeof manager === 'string' ? manager : undefined
}

/** Example: `service/a secret/b`. */
function typesOf(objects: readonly KubeObject[]): string {
  return objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`).join(' ')
}
