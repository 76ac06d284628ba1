import {
  isRecord,
  type Json,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
} from '../../../shared/json-fields.ts'
import { hostNameOf } from '../host-name.ts'
import { picked, provided } from '../reading.ts'
import {
  accountOf,
  demand,
  knownFields,
  needed,
  type PodDraft,
  toHostReference,
} from '../pod-draft/pod-draft.ts'
import { toHostFileField } from './downward-field.ts'

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

const PROJECTED_SOURCES = ['configMap', 'downwardAPI', 'secret', 'serviceAccountToken']

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
  if (type === 'ephemeral') {
    // The plane creates the claim of the template under this name.
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
      `${at}.driver "${driver}" is not allowed for pods of this plane, "sync.pods.csiDrivers: [${driver}]" in the plane's spec would allow it`,
    )
  }
  const secret = recordAt(source, 'nodePublishSecretRef')
  const from = { kind: 'secrets', field: 'name', at: `${at}.nodePublishSecretRef` } as const
  return {
    ...picked(source, ['driver', 'fsType', 'readOnly', 'volumeAttributes']),
    ...provided({ nodePublishSecretRef: secret && toHostReference(draft, secret, from) }),
  }
}

function toHostProjected(draft: PodDraft, volume: Json, at: string): Json {
  return {
    ...knownFields(draft, volume, { at, fields: ['defaultMode', 'sources'] }),
    sources: recordsAt(volume, 'sources').map((source, index) =>
      toHostSource(draft, source, `${at}.sources[${index}]`),
    ),
  }
}

function toHostSource(draft: PodDraft, source: Json, at: string): Json {
  for (const field of ['clusterTrustBundle', 'podCertificate']) {
    if (recordAt(source, field) !== undefined) {
      draft.refusals.push(`${at}.${field} is not possible: it would be the host's, not the plane's`)
      return {}
    }
  }
  const known = knownFields(draft, source, { at, fields: PROJECTED_SOURCES })
  const [configMap, downward, secret, token] = [
    recordAt(known, 'configMap'),
    recordAt(known, 'downwardAPI'),
    recordAt(known, 'secret'),
    recordAt(known, 'serviceAccountToken'),
  ]
  const named = (kind: 'configMaps' | 'secrets', field: string) =>
    ({ kind, field: 'name', at: `${at}.${field}` }) as const
  return {
    ...provided({
      configMap: configMap && toHostReference(draft, configMap, named('configMaps', 'configMap')),
      downwardAPI: downward && toHostDownward(draft, downward, `${at}.downwardAPI`),
      secret: secret && toHostReference(draft, secret, named('secrets', 'secret')),
    }),
    // A token is a Secret on the host, too; the API allows only one of both in a source.
    ...provided({ secret: token && toTokenSecret(draft, token) }),
  }
}

function toHostDownward(draft: PodDraft, volume: Json, at: string): Json {
  return {
    ...knownFields(draft, volume, { at, fields: ['defaultMode', 'items'] }),
    items: recordsAt(volume, 'items').map((item, index) => {
      const where = `${at}.items[${index}]`
      const fields = ['path', 'mode', 'fieldRef', 'resourceFieldRef']
      const known = knownFields(draft, item, { at: where, fields })
      const fieldRef = recordAt(known, 'fieldRef')
      return fieldRef === undefined
        ? known
        : {
            ...known,
            fieldRef: { fieldPath: toHostFileField(draft, fieldRef, `${where}.fieldRef`) },
          }
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
