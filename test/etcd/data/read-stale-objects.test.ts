import { expect, test } from 'vitest'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { readStaleObjects, storedVersionOf } from '../../../src/etcd/data/read-stale-objects.ts'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../../src/etcd/etcd-connection.ts'
import { ETCD_FILES, etcdGateway } from '../../support/etcd-gateway.ts'

const { signal } = new AbortController()
const BETA = { apiVersion: 'autoscaling/v2beta2', resource: 'scalers', hasOther: true }
const ALPHA = { apiVersion: 'autoscaling/v2alpha1', resource: 'scalers', hasOther: false }

/** How an Event begins in etcd: `TypeMeta`, then the object. */
const STORED = '6b3873000a0b0a02763112054576656e741200'

test('counts what is stored in versions that go away, on all pages', async () => {
  const { found, folders } = await look({
    lost: [BETA, ALPHA],
    stored: {
      'scalers/a/one': object('autoscaling/v2beta2'),
      'scalers/a/two': object('autoscaling/v2'),
      'scalers/b/three': object('autoscaling/v2beta2'),
      'scalersets/a/four': object('autoscaling/v2beta2'),
    },
  })

  expect(found).toEqual([
    {
      resource: 'scalers.autoscaling',
      apiVersion: 'autoscaling/v2beta2',
      count: 2,
      hasOther: true,
      isCustom: false,
    },
  ])
  expect(new Set(folders)).toEqual(
    new Set(['/registry/apiextensions.k8s.io/customresourcedefinitions/', '/registry/scalers/']),
  )
})

test('counts custom objects in versions that are neither served nor stored any more', async () => {
  const { found } = await look({
    stored: {
      'apiextensions.k8s.io/customresourcedefinitions/widgets.example.com': definition([
        'v1alpha1',
        'v1beta1',
        'v1',
        'hub',
      ]),
      'example.com/widgets/a/one': object('example.com/v1alpha1'),
      'example.com/widgets/a/two': object('example.com/v1beta1'),
      'example.com/widgets/a/three': object('example.com/hub'),
    },
  })

  expect(found).toEqual([
    {
      resource: 'widgets.example.com',
      apiVersion: 'example.com/v1alpha1',
      count: 1,
      hasOther: true,
      isCustom: true,
    },
  ])
})

test('reads no custom objects of a definition that says nothing of other versions', async () => {
  const { folders } = await look({
    stored: {
      'apiextensions.k8s.io/customresourcedefinitions/widgets.example.com': definition(['v1']),
      'apiextensions.k8s.io/customresourcedefinitions/strange': 'k8s:enc:x',
      'example.com/widgets/a/one': object('example.com/v1alpha1'),
    },
  })

  expect(new Set(folders)).toEqual(
    new Set(['/registry/apiextensions.k8s.io/customresourcedefinitions/']),
  )
})

test.for([
  ['Protobuf', Buffer.from(STORED, 'hex'), 'v1'],
  ['Protobuf of a group', protobuf('scheduling.k8s.io/v1alpha1'), 'scheduling.k8s.io/v1alpha1'],
  ['Protobuf with a long length', protobuf(`${'g'.repeat(200)}/v1`), `${'g'.repeat(200)}/v1`],
  ['JSON', Buffer.from('{"apiVersion":"example.com/v1","kind":"Widget"}'), 'example.com/v1'],
] as const)('reads the version of %s', ([, value, version]) => {
  expect(storedVersionOf(value)).toBe(version)
})

test.for([
  ['encrypted', Buffer.from('k8s:enc:secretbox:v1:key-1:x')],
  ['empty', Buffer.alloc(0)],
  ['cut off', protobuf('apps/v1').subarray(0, 9)],
  ['cut off in a length', Buffer.from('k8s\0\x0a\xff', 'latin1')],
  ['another field first', Buffer.from('k8s\0\x12\x02ab', 'latin1')],
  ['a number', Buffer.from('1000')],
  ['no version', Buffer.from('{"apiVersion":7}')],
] as const)('knows none of what is %s', ([, value]) => {
  expect(storedVersionOf(value)).toBeUndefined()
})

interface Held {
  lost?: Parameters<typeof readStaleObjects>[1]['lost']
  /** Values by their keys. */
  stored: Record<string, string>
}

/** Looks through an etcd that gives one key at a time. */
async function look({ lost = [], stored }: Held) {
  const keys = Object.keys(stored).map((key) => `/registry/${key}`)
  const { dial, requests } = await etcdGateway((_, body) => {
    const [from = '', to = ''] = rangeOf(body)
    const [key, ...more] = keys.toSorted().filter((one) => one >= from && one < to)
    const value = stored[key?.slice('/registry/'.length) ?? ''] ?? ''
    return [200, key === undefined ? {} : { kvs: [pair(key, value)], more: more.length > 0 }]
  })
  const connection: EtcdConnection = {
    what: 'etcd',
    dial,
    certificateAuthority: ETCD_FILES[ETCD_CLIENT_FILES.certificateAuthority] ?? '',
    certificate: ETCD_FILES[ETCD_CLIENT_FILES.certificate] ?? '',
    key: ETCD_FILES[ETCD_CLIENT_FILES.key] ?? '',
  }
  const found = await readStaleObjects(connection, { lost, spec: resolveSpec({}), signal })
  return { found, folders: requests.map(([, body]) => (rangeOf(body)[1] ?? '').replace(/0$/, '/')) }
}

function object(apiVersion: string): string {
  return JSON.stringify({ apiVersion, kind: 'Any' })
}

/** A definition whose status says in which versions objects may be stored. */
function definition(storedVersions: readonly string[]): string {
  const versions = [
    { name: 'v1alpha1', served: false, storage: false },
    { name: 'v1beta1', served: true, storage: false },
    { name: 'v1', served: true, storage: false },
    { name: 'hub', served: false, storage: true },
  ]
  const spec = { group: 'example.com', names: { plural: 'widgets' }, versions }
  return JSON.stringify({ spec, status: { storedVersions } })
}

function pair(key: string, value: string) {
  const [encodedKey, encodedValue] = [key, value].map((text) =>
    Buffer.from(text).toString('base64'),
  )
  return { key: encodedKey, value: encodedValue }
}

function rangeOf(body: unknown): string[] {
  const { key, range_end: end }: Record<string, string> = JSON.parse(JSON.stringify(body))
  return [key, end].map((text = '') => Buffer.from(text, 'base64').toString())
}

function protobuf(apiVersion: string): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(field(Buffer.from(apiVersion)))])
}

/** Field 1 of a message. */
function field(bytes: Buffer): Buffer {
  const length: number[] = []
  for (let left = bytes.length; ; left >>= 7) {
    length.push(left >= 0x80 ? (left & 0x7f) | 0x80 : left)
    if (left < 0x80) {
      return Buffer.concat([Buffer.of(0x0a, ...length), bytes])
    }
  }
}
