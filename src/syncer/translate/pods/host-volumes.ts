import { isRecord, type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { picked } from '../reading.ts'
import { demand, needed, type PodDraft, toHostReference } from '../pod-draft/pod-draft.ts'
import { toHostDownward, toHostProjected } from './projected-volume.ts'

type Translation = (draft: PodDraft, source: Json, at: string) => Json

/** Every type of volume that pods may have. All others can refer to objects or machines that are not the plane's. */
const TYPES: ReadonlyMap<string, Translation> = new Map<string, Translation>([
  ['configMap', reference('configMaps', 'name')],
  ['csi', toHostCsi],
  ['downwardAPI', toHostDownward],
  ['emptyDir', (_, source) => picked(source, ['medium', 'sizeLimit'])],
  ['hostPath', toHostPath],
  ['image', (_, source) => picked(source, ['reference', 'pullPolicy'])],
  ['nfs', (_, source) => picked(source, ['server', 'path', 'readOnly'])],
  ['persistentVolumeClaim', reference('claims', 'claimName')],
  ['projected', toHostProjected],
  ['secret', reference('secrets', 'secretName')],
])

/** Volumes of a pod on the host. */
export function toHostVolumes(draft: PodDraft): Json[] {
  return recordsAt(draft.pod.spec, 'volumes').map((volume) => toHostVolume(draft, volume))
}

function toHostVolume(draft: PodDraft, volume: Json): Json {
  const name = textAt(volume, 'name') ?? ''
  const at = `spec.volumes[${name}]`
  const [[type, source] = ['emptyDir', {}], ...others] = Object.entries(volume).filter(
    ([field, value]) => field !== 'name' && isRecord(value),
  )
  if (type === 'ephemeral') {
    // The plane makes the claim of the template: this is the name that it gives it.
    const claimName = needed(draft, 'claims', `${draft.pod.name}-${name}`)
    return { name, persistentVolumeClaim: { claimName } }
  }
  const translate = TYPES.get(type)
  if (translate === undefined || !isRecord(source) || others.length > 0) {
    draft.refusals.push(
      `${at}.${type} is not possible in a plane: use one of ${[...TYPES.keys(), 'ephemeral'].join(', ')}`,
    )
    return { name }
  }
  return { name, [type]: translate(draft, source, `${at}.${type}`) }
}

function reference(kind: 'claims' | 'configMaps' | 'secrets', field: string): Translation {
  return (draft, source, at) => toHostReference(draft, source, { kind, field, at })
}

function toHostPath(draft: PodDraft, source: Json, at: string): Json {
  demand(draft, 'hostPath', at)
  return picked(source, ['path', 'type'])
}

function toHostCsi(draft: PodDraft, source: Json, at: string): Json {
  const driver = textAt(source, 'driver') ?? ''
  if (!draft.context.policy.csiDrivers.includes(driver)) {
    draft.refusals.push(
      `${at}.driver "${driver}" is not allowed to pods of this plane, "sync.pods.csiDrivers: [${driver}]" in the plane's spec would allow it`,
    )
  }
  const secret = recordAt(source, 'nodePublishSecretRef')
  const from = { kind: 'secrets', field: 'name', at: `${at}.nodePublishSecretRef` } as const
  return {
    ...picked(source, ['driver', 'fsType', 'readOnly', 'volumeAttributes']),
    ...(secret === undefined ? {} : { nodePublishSecretRef: toHostReference(draft, secret, from) }),
  }
}
