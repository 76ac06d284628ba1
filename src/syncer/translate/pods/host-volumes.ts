import {
  isRecord,
  type Json,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
} from '../../../shared/json-fields.ts'
import { hostNameOf } from '../host-name.ts'
import { copiedFields } from '../field-decisions.ts'
import { provided } from '../reading.ts'
import {
  accountOf,
  demand,
  needed,
  type PodDraft,
  toHostReference,
} from '../pod-draft/pod-draft.ts'
import { volumeRefusals } from '../../policies/object-policies.ts'
import { toHostFileField } from './downward-field.ts'
import { VOLUME_TYPES } from './volume-fields.ts'

type Translation = (draft: PodDraft, source: Json, at: string) => Json

/** The translated fields of a volume of each type. */
const TYPES: ReadonlyMap<string, Translation> = new Map<string, Translation>([
  ['configMap', reference('configMaps', 'name')],
  ['csi', toHostCsi],
  ['downwardAPI', toHostDownward],
  ['emptyDir', () => ({})],
  ['hostPath', toHostPath],
  ['image', () => ({})],
  ['nfs', () => ({})],
  ['persistentVolumeClaim', reference('claims', 'claimName')],
  ['projected', toHostProjected],
  ['secret', reference('secrets', 'secretName')],
])

/** If the pod's files have a group, the kubelet lets it read the token, too; without one, any user may read the file. */
const OWNER_ONLY = 0o600

/** The volumes of a pod on the host. */
export function toHostVolumes(draft: PodDraft): Json[] {
  return recordsAt(draft.pod.spec, 'volumes').map((volume) => toHostVolume(draft, volume))
}

function toHostVolume(draft: PodDraft, volume: Json): Json {
  const name = textAt(volume, 'name') ?? ''
  const at = `spec.volumes[${name}]`
  const [[type, source] = ['emptyDir', {}], ...others] = Object.entries(volume).filter(
    ([field, value]) => field !== 'name' && isRecord(value),
  )
  draft.refusals.push(...volumeRefusals(draft.context.scope.policies, { type, at }))
  if (type === 'ephemeral') {
    // The plane creates the claim of the template under this name.
    const claimName = needed(draft, 'claims', `${draft.pod.name}-${name}`)
    return { name, persistentVolumeClaim: { claimName } }
  }
  const translate = TYPES.get(type)
  if (others.length > 0) {
    draft.refusals.push(`${at} has more than one type`)
  }
  if (translate === undefined || !isRecord(source)) {
    // Its field was refused.
    return { name }
  }
  const copied = recordAt(copiedFields(VOLUME_TYPES, volume), type)
  return { name, [type]: { ...copied, ...translate(draft, source, `${at}.${type}`) } }
}

function reference(kind: 'claims' | 'configMaps' | 'secrets', field: string): Translation {
  return (draft, source, at) => toHostReference(draft, source, { kind, field, at })
}

function toHostPath(draft: PodDraft, _: Json, at: string): Json {
  demand(draft, 'hostPath', at)
  return {}
}

function toHostCsi(draft: PodDraft, source: Json, at: string): Json {
  const driver = textAt(source, 'driver') ?? ''
  if (!draft.context.policy.csiDrivers.includes(driver)) {
    draft.refusals.push(
      `${at}.driver "${driver}" is not allowed for pods of this plane, "sync.pods.csiDrivers: [${driver}]" in the plane's spec would allow it`,
    )
  }
  const secret = recordAt(source, 'nodePublishSecretRef')
  const from = { kind: 'secrets', field: 'name', at: `${at}.nodePublishSecretRef` } as const
  return provided({ nodePublishSecretRef: secret && toHostReference(draft, secret, from) })
}

function toHostProjected(draft: PodDraft, volume: Json, at: string): Json {
  return {
    sources: recordsAt(volume, 'sources').map((source, index) =>
      toHostSource(draft, source, `${at}.sources[${index}]`),
    ),
  }
}

function toHostSource(draft: PodDraft, source: Json, at: string): Json {
  const downward = recordAt(source, 'downwardAPI')
  const token = recordAt(source, 'serviceAccountToken')
  const copied = copiedFields(VOLUME_TYPES.projected.sources, source)
  const named = (kind: 'configMaps' | 'secrets', field: string) => {
    const reference = recordAt(source, field)
    const from = { kind, field: 'name', at: `${at}.${field}` } as const
    return reference && { ...recordAt(copied, field), ...toHostReference(draft, reference, from) }
  }
  return {
    ...provided({
      configMap: named('configMaps', 'configMap'),
      downwardAPI: downward && toHostDownward(draft, downward, `${at}.downwardAPI`),
      secret: named('secrets', 'secret'),
    }),
    // A token is a Secret on the host, too; the API allows only one of both in a source.
    ...provided({ secret: token && toTokenSecret(draft, token) }),
  }
}

function toHostDownward(draft: PodDraft, volume: Json, at: string): Json {
  return {
    items: recordsAt(volume, 'items').map((item, index) => {
      const copied = copiedFields(VOLUME_TYPES.downwardAPI.items, item)
      const fieldRef = recordAt(item, 'fieldRef')
      const fieldPath =
        fieldRef && toHostFileField(draft, fieldRef, `${at}.items[${index}].fieldRef`)
      return fieldRef === undefined ? copied : { ...copied, fieldRef: { fieldPath } }
    }),
  }
}

function toTokenSecret({ context, needs, pod }: PodDraft, token: Json): Json {
  const { name, namespace, spec, uid } = pod
  // No virtual Secret has a name with a slash, so none gets this one on the host.
  const virtualName = `${name}/tokens/${uid}/${needs.tokens.length}`
  const secretName = hostNameOf(context.scope, { name: virtualName, namespace })
  const path = textAt(token, 'path') ?? 'token'
  const audience = textAt(token, 'audience')
  needs.tokens.push({
    secretName,
    key: 'token',
    path,
    account: accountOf(pod),
    ...(audience === undefined ? {} : { audience }),
    expirationSeconds: numberAt(token, 'expirationSeconds') ?? 3600,
  })
  const fsGroup = numberAt(spec, 'securityContext', 'fsGroup')
  return {
    name: secretName,
    items: [{ key: 'token', path, ...(fsGroup === undefined ? {} : { mode: OWNER_ONLY }) }],
  }
}
