import { hostNameOf } from '../host-name.ts'
import { type Json, numberAt, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { toHostFileField } from './downward-field.ts'
import { accountOf, knownFields, type PodDraft, toHostReference } from '../pod-draft/pod-draft.ts'

const SOURCES = ['configMap', 'downwardAPI', 'secret', 'serviceAccountToken']

/** A projected volume on the host: with the plane's objects, fields and tokens. */
export function toHostProjected(draft: PodDraft, volume: Json, at: string): Json {
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
  const known = knownFields(draft, source, { at, fields: SOURCES })
  const configMap = recordAt(known, 'configMap')
  const secret = recordAt(known, 'secret')
  const downward = recordAt(known, 'downwardAPI')
  const token = recordAt(known, 'serviceAccountToken')
  const reference = (from: Json, kind: 'configMaps' | 'secrets', field: string) =>
    toHostReference(draft, from, { kind, field: 'name', at: `${at}.${field}` })
  return {
    ...(configMap === undefined
      ? {}
      : { configMap: reference(configMap, 'configMaps', 'configMap') }),
    ...(downward === undefined
      ? {}
      : { downwardAPI: toHostDownward(draft, downward, `${at}.downwardAPI`) }),
    // Both are Secrets on the host; the API lets a source be only one of them.
    ...(secret === undefined ? {} : { secret: reference(secret, 'secrets', 'secret') }),
    ...(token === undefined ? {} : { secret: toTokenSecret(draft, token) }),
  }
}

/** Files of the downward API, with the plane's values. */
export function toHostDownward(draft: PodDraft, volume: Json, at: string): Json {
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

/** What a token lasts when its pod does not say. */
const DEFAULT_LIFE_SECONDS = 3600

/** Like a kubelet, gives the group of the pod's files alone to read it, when there is one: the kubelet adds the group. */
const OWNER_ONLY = 0o600

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
    expirationSeconds: numberAt(token, 'expirationSeconds') ?? DEFAULT_LIFE_SECONDS,
  })
  const fsGroup = numberAt(spec, 'securityContext', 'fsGroup')
  return {
    name: secretName,
    items: [{ key: 'token', path, ...(fsGroup === undefined ? {} : { mode: OWNER_ONLY }) }],
  }
}
