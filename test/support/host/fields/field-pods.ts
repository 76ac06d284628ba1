import { isRecord, recordAt, recordsAt } from '../../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { type FieldType, merged, sampleOf } from '../../../syncer/fields/field-samples.ts'
import { AGNHOST_IMAGE } from '../../../lab/images/lab-images.ts'
import { pod, serverContainer } from '../planes/workloads.ts'

/** What the ConfigMap and the Secret of the pods are called; both have the key `a`. */
export const CONTENTS = 'contents'

/** The feature gates of Kubernetes 1.37 without which an API server drops some of the fields. */
export const GATES = [
  'AtomicWriteVolumeUserFields',
  'EmptyDirVolumeMode',
  'EvictionRequestAPI',
  'GRPCContainerProbeTLS',
  'GenericWorkload',
  'H2CContainerProbe',
  'VolumeBindMountOptions',
]

/** The API refuses these in each pod (validateEphemeralContainers of Kubernetes' core/validation). */
const IMPOSSIBLE = /^spec\.ephemeralContainers\[\]\.(lifecycle|\w+Probe)\./

/** Those fields that users can set: not those of the status. */
export function settableFields(fields: readonly FieldType[]): FieldType[] {
  return fields.filter(([path]) => path.startsWith('spec.') && !IMPOSSIBLE.test(path))
}

/** A value of fields, and the one that they change to. */
const VALUES: ReadonlyArray<readonly [path: RegExp, value: unknown, changed: unknown]> = [
  [/\.httpGet\.protocol$/, 'HTTP2', 'HTTP1'],
  [/\.grpc\.mode$/, 'TLS', 'Plaintext'],
  [/\.bindMountOptions\[\]$/, ['noexec'], ['nodev', 'nosuid']],
  [/\.emptyDir\.mode$/, 0o700, 0o750],
  [/\.(user|defaultUser)$/, 1000, 1001],
  [/\.userAnnotations\{\}$/, { 'example.com/a': 'one' }, { 'example.com/a': 'other' }],
  [/^spec\.schedulingGroup\.podGroupName$/, 'one', 'other'],
  [/^spec\.evictionResponders\[\]\.name$/, 'example.com/one', 'example.com/other'],
  [/^spec\.evictionResponders\[\]\.priority$/, 10_000, 10_001],
]

export const STEPS = ['set', 'changed', 'unset'] as const
export type Step = (typeof STEPS)[number]

/** The value that a field has at a step. @throws {Error} for a field of which no values are known here. */
function valueAt([path]: FieldType, step: Step): unknown {
  const [, value, changed] = VALUES.find(([pattern]) => pattern.test(path)) ?? []
  if (value === undefined) {
    throw new Error(`no values of ${path} in VALUES of ${import.meta.filename}`)
  }
  return step === 'set' ? value : step === 'changed' ? changed : undefined
}

const MOUNT = { name: 'v', mountPath: '/v' }
const ITEMS = [{ key: 'a', path: 'a' }]
const FIELDS = [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }]
const OF_CONFIG_MAP = { name: CONTENTS, items: ITEMS }
const INIT_SERVER = ['/agnhost', 'netexec', '--http-port=8082', '--udp-port=8083']

/**
 * What has to be at the matching beginning of a path, so that the pod is valid and its node runs it. The first one wins.
 * Probes that would fail do not begin, and no node is for pods whose hook would come before their server.
 */
const COMPANIONS: ReadonlyArray<readonly [at: RegExp, part: unknown]> = [
  [/^spec\.initContainers\[\]\..*\.httpGet(?=\.)/, { path: '/', port: 8082 }],
  [/\.httpGet(?=\.)/, { path: '/', port: 8080 }],
  [/\.\w+Probe(?=\.httpGet\.)/, { periodSeconds: 1 }],
  [/\.\w+Probe(?=\.grpc\.)/, { grpc: { port: 9000 }, initialDelaySeconds: 3600 }],
  [
    /^spec\.initContainers\[\]/,
    [serverContainer({ name: 'init', command: INIT_SERVER, restartPolicy: 'Always' })],
  ],
  [
    /^spec\.ephemeralContainers\[\]/,
    [{ name: 'debug', image: AGNHOST_IMAGE, command: ['/agnhost', 'pause'] }],
  ],
  [/^spec(?=.*\.postStart\.)/, { nodeSelector: { 'example.com/disk': 'none' } }],
  [/\.volumeMounts\[\]/, [MOUNT]],
  [/^spec(?=\..*\.volumeMounts)/, { volumes: [{ name: 'v', emptyDir: {} }] }],
  [/\.volumes\[\]\.emptyDir/, {}],
  [/\.volumes\[\]\.configMap/, OF_CONFIG_MAP],
  [/\.volumes\[\]\.secret/, { secretName: CONTENTS, items: ITEMS }],
  [/\.volumes\[\]\.downwardAPI/, { items: FIELDS }],
  [/\.projected(?=\.defaultUser)/, { sources: [{ configMap: OF_CONFIG_MAP }] }],
  [/\.sources\[\]\.configMap/, OF_CONFIG_MAP],
  [/\.sources\[\]\.secret/, OF_CONFIG_MAP],
  [/\.sources\[\]\.downwardAPI/, { items: FIELDS }],
  [/\.sources\[\]\.serviceAccountToken/, { path: 'a' }],
  [/\.sources\[\]\.clusterTrustBundle/, { name: 'one', path: 'a', optional: true }],
  [
    /\.sources\[\]\.podCertificate/,
    { signerName: 'example.com/one', keyType: 'ED25519', keyPath: 'a' },
  ],
  [
    /^spec(?=\.volumes)/,
    { volumes: [{ name: 'v' }], containers: [{ name: 'server', volumeMounts: [MOUNT] }] },
  ],
]

/** A record that is there only together with the field. */
const WITH_VALUE: typeof COMPANIONS = [
  [/^spec\.evictionResponders\[\]/, [{ name: 'example.com/one', priority: 10_000 }]],
]

/** A pod that is made for one field, and the ephemeral containers that it gets when it runs. */
export interface FieldPod {
  field: FieldType
  pod: KubeObject
  ephemeralContainers: object[]
}

/** A pod that all versions know, and in whose status the newest one alone says which resources it has. */
export const SIZED: FieldPod = {
  field: ['spec.resources.limits{}', 'quantity'],
  pod: pod('sized', [serverContainer()], {
    resources: { limits: { cpu: '100m', memory: '64Mi' } },
  }),
  ephemeralContainers: [],
}

/** The pod of a field at a step, which is called the same at each step. */
export function fieldPod(field: FieldType, step: Step): FieldPod {
  const [path] = field
  const value = valueAt(field, step)
  const own = value === undefined ? {} : sampleOf(field, value)
  const companions = [...COMPANIONS, ...(value === undefined ? [] : WITH_VALUE)].flatMap(
    ([pattern, part]) => {
      const found = pattern.exec(path)
      const at = path.slice(0, (found?.index ?? 0) + (found?.[0].length ?? 0))
      return found === null ? [] : [sampleOf([at, ''], part)]
    },
  )
  const parts = [own, ...companions, pod(podName(path), [serverContainer()])]
  const whole = parts.reduce<unknown>((one, other) => merged(one, other), {})
  if (!isRecord(whole)) {
    throw new Error(`${path} has no pod`)
  }
  const { ephemeralContainers, ...spec } = recordAt(whole, 'spec') ?? {}
  const { name } = pod(podName(path), []).metadata
  return {
    field,
    pod: { ...whole, apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec },
    ephemeralContainers: recordsAt({ ephemeralContainers }, 'ephemeralContainers'),
  }
}

/** `containers-livenessprobe-grpc-mode` */
function podName(path: string): string {
  const words = path.toLowerCase().split(/[^a-z]+/)
  return words.filter((word) => !['', 'spec'].includes(word)).join('-')
}
