import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SharedEtcdSpec } from '../../../../src/control-plane/store/store.ts'
import { renewPlaneLeaves } from '../../../../src/drivers/kubernetes/certificates/renew-plane-leaves.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { diagnosePlane } from '../../../../src/drivers/kubernetes/repair/diagnose-plane.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { protobufMessage } from '../../../../src/etcd/protobuf.ts'
import { ensureUser } from '../../../../src/etcd/shared/etcd-users.ts'
import { sharedEtcdConnection } from '../../../../src/etcd/shared/shared-etcd-connection.ts'
import { hasKeys } from '../../../../src/etcd/shared/has-keys.ts'
import { RELAY_ANSWER } from '../../../../src/manifests/database/relay-pod.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { userData } from '../../../support/databases/host-etcd.ts'
import { startEtcd, type TestEtcd } from '../../../support/databases/start-etcd.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, objectOf, requestFor } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const SECRETS = '/api/v1/namespaces/team-a/secrets'
const RELAY = 'vplane-dev-database'
const NEVER = new AbortController().signal
const ROOT = { root: { credentialsSecret: 'owner' } }

let etcd: TestEtcd
beforeAll(async () => {
  etcd = await startEtcd()
})
afterAll(() => etcd[Symbol.asyncDispose]())

test('makes a user of the plane, and gives its certificate to kube-apiserver alone', async () => {
  const { cluster } = await made()
  const { prefix, user } = await namesOf(cluster)
  const plane = await asPlane(cluster)

  expect(await etcd.names()).toEqual(expect.arrayContaining([user, user]))
  expect(await hasKeys(plane, { prefix, signal: NEVER })).toBe(false)
  expect(
    (await rejectionOf(hasKeys(plane, { prefix: '/others', signal: NEVER }))).message,
  ).toContain('permission denied')
  expect(having(cluster, fileOf(cluster, 'shared-etcd_client.key'))).toEqual([
    'vplane-dev-kube-apiserver',
  ])
  expect(having(cluster, text(etcd.spec.root.clientCaKeyFile))).toEqual([])
  expect(having(cluster, text(etcd.spec.root.keyFile))).toEqual([])
  expect(cluster.pods()).toEqual([
    'vplane-dev-kube-apiserver-0',
    'vplane-dev-kube-controller-manager-0',
    'vplane-keeper-0',
  ])
})

test('stays paused without its keys, and deletes its keys and its user with it', async () => {
  const { cluster, context } = await made()
  const { prefix, user } = await namesOf(cluster)
  await cluster.changeRecord('dev', { hasData: true })
  await pausePlane(context, await cluster.stored('dev'), cluster.operation())

  const refused = await rejectionOf(
    startPlane(context, await cluster.stored('dev'), cluster.operation()),
  )
  const paused = cluster.recordOf('dev')
  await put(`${prefix}/some`)
  await put(`${prefix}0`)
  await startPlane(context, await cluster.stored('dev'), cluster.operation())
  await removePlane(context, PLACE, { ...cluster.operation(), keepData: false })

  expect(refused.message).toMatch(
    /^the data of "dev" is missing: .* has no keys below \/vplane\/dev-/,
  )
  expect(paused).toMatchObject({ desired: 'paused' })
  expect(await etcd.keys(prefix)).toEqual([`${prefix}0`])
  expect(await etcd.names()).not.toContain(user)
  expect(cluster.remains()).toEqual(['secrets/owner'])
})

test('keeps a plane without a readable record, unless its keys are to be left', async () => {
  const { cluster, context } = await made()
  await cluster.damageRecord('dev')
  const options = { ...cluster.operation(), keepData: false }

  const error = await rejectionOf(removePlane(context, PLACE, options))
  const after = cluster.remains()
  const left = await removePlane(context, PLACE, { ...options, leaveData: true })

  expect(error.message).toContain('the keys of "dev" in a shared etcd cannot be deleted')
  expect(after).toContain('secrets/vplane-dev-kube-apiserver')
  expect(left).toMatchObject([{ what: 'the keys of "dev" in a shared etcd', isKept: true }])
  expect(cluster.remains()).toEqual(['secrets/owner'])
})

test('takes no keys of others, and does not delete them either', async () => {
  const [user, prefix] = ['taken', '/planes/taken']
  await ensureUser(await etcd.as('root'), { user, prefix }, NEVER)
  await put(`${prefix}/some`)
  const { cluster, context } = hosted({ client: userData(etcd, etcd.certificateOf(user)) })
  const shared = { client: { credentialsSecret: 'client', prefix } }

  const refused = await rejectionOf(createIn(context, cluster, shared))
  await removePlane(context, PLACE, { ...cluster.operation(), keepData: false })

  expect(refused).toMatchObject({ code: 'CONFLICT' })
  expect(await etcd.keys(prefix)).toEqual([`${prefix}/some`])
  expect(await etcd.names()).toContain(user)
  expect(cluster.remains()).toEqual(['secrets/client'])
})

test('continues with the certificate that the owner of the user has made again', async () => {
  const [user, prefix] = ['renewed', '/planes/renewed']
  await ensureUser(await etcd.as('root'), { user, prefix }, NEVER)
  const { cluster, context } = hosted({ client: userData(etcd, etcd.certificateOf(user)) })
  await createIn(context, cluster, { client: { credentialsSecret: 'client', prefix } })
  const former = fileOf(cluster, 'shared-etcd_client.crt')
  const next = userData(etcd, etcd.certificateOf(user))
  cluster.api.put(`${SECRETS}/client`, secretOf('client', next))

  const { id } = (await cluster.stored('dev')).record
  const names = await renewPlaneLeaves(context, { id, place: PLACE }, cluster.operation())

  expect(former).not.toBe(next['tls.crt'])
  expect(names).toContain('shared-etcd/client')
  expect(fileOf(cluster, 'shared-etcd_client.crt')).toBe(next['tls.crt'])
  expect(fileOf(cluster, 'shared-etcd_client.key')).toBe(next['tls.key'])
})

test('issues its certificate again with all others', async () => {
  const { cluster, context } = await made()
  const former = fileOf(cluster, 'shared-etcd_client.crt')
  const { id } = (await cluster.stored('dev')).record

  await renewPlaneLeaves(context, { id, place: PLACE }, cluster.operation())

  expect(fileOf(cluster, 'shared-etcd_client.crt')).not.toBe(former)
  expect(
    await hasKeys(await asPlane(cluster), {
      prefix: (await namesOf(cluster)).prefix,
      signal: NEVER,
    }),
  ).toBe(false)
})

test('finds that its keys are missing, and restarts no kube-apiserver then', async () => {
  const { cluster, context } = await made()
  const { prefix } = await namesOf(cluster)
  await cluster.changeRecord('dev', { hasData: true })
  const faults = async () =>
    (await diagnosePlane(context, await cluster.stored('dev'), NEVER)).faults.filter(
      ({ component }) => component !== 'keeper',
    )
  const path = '/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-0'
  const pod = cluster.api.objects.get(path)
  const conditions = [{ type: 'Ready', status: 'False' }]
  cluster.api.put(path, { ...pod, ...objectOf('Pod', pod?.metadata ?? {}), status: { conditions } })

  const missing = await faults()
  await put(`${prefix}/some`)
  const present = await faults()

  expect(missing).toMatchObject([
    { instance: 'shared etcd', reason: `it has no keys below ${prefix}`, remedy: 'none' },
  ])
  expect(present.map(({ component }) => component)).not.toContain('etcd')
})

test.for([
  [undefined, 'does not exist'],
  [{ 'ca.crt': 'a', 'tls.crt': 'b', 'tls.key': 'c' }, 'lacks client-ca.crt, client-ca.key'],
] as const)('creates nothing with the Secret %j of the owner', async ([owner, reason]) => {
  const { cluster, context } = hosted(owner === undefined ? {} : { owner })
  const before = cluster.remains()

  const error = await rejectionOf(createIn(context, cluster, ROOT))

  expect(error.message).toBe(
    `cannot read the credentials for the shared etcd: Secret "owner" in namespace "team-a" ${reason}`,
  )
  expect(cluster.remains()).toEqual(before)
})

test('leaves everything as it is when the etcd cannot be reached, unless its keys are to be left', async () => {
  const { cluster, context } = await made()
  const before = cluster.remains()
  const { prefix, user } = await namesOf(cluster)
  cluster.forward = () => {
    const stream = new PassThrough()
    stream.end(`${RELAY_ANSWER.failed}connect ECONNREFUSED`)
    return Promise.resolve(stream)
  }

  const options = { ...cluster.operation(), keepData: false }
  const error = await rejectionOf(removePlane(context, PLACE, options))
  const after = cluster.remains()
  const left = await removePlane(context, PLACE, { ...options, leaveData: true })

  expect(error).toMatchObject({ code: 'UNREACHABLE' })
  expect(error.message).toContain('connect ECONNREFUSED')
  expect(error.hints).toContain(
    'or delete it without its keys: vplane delete dev --namespace team-a --leave-data',
  )
  expect(after.filter((path) => !path.startsWith('leases/'))).toEqual(before)
  expect(left[0]?.what).toContain(`the keys below ${prefix}, and the user and the role "${user}"`)
})

async function made() {
  const { root } = etcd.spec
  const owner = {
    ...userData(etcd, root),
    'client-ca.crt': text(root.clientCaFile),
    'client-ca.key': text(root.clientCaKeyFile),
  }
  const { cluster, context } = hosted({ owner })
  await createIn(context, cluster, ROOT)
  return { cluster, context }
}

function createIn(
  context: ReturnType<FakeCluster['driverContext']>,
  cluster: FakeCluster,
  access: Omit<SharedEtcdSpec, 'endpoints'>,
) {
  const shared = { endpoints: etcd.spec.endpoints, ...access }
  const userSpec = { store: { etcd: { shared } } }
  return createPlane(context, requestFor('dev', { userSpec }), cluster.operation())
}

/** A host in which pods of vplane run that are of no workload, and reach the etcd. */
function hosted(secrets: Record<string, Record<string, string>>) {
  const cluster: FakeCluster = new FakeCluster({
    onChange: ({ object, path, type }) => {
      if (object.metadata.name === RELAY && object['status'] === undefined && type === 'ADDED') {
        const containerStatuses = [{ name: 'relay', state: { running: {} } }]
        cluster.api.put(path, { ...object, status: { phase: 'Running', containerStatuses } })
      }
    },
  })
  cluster.forward = async () => {
    const socket = connect(Number(new URL(etcd.endpoint).port), '127.0.0.1')
    await once(socket, 'connect')
    const readable = new PassThrough()
    readable.write(RELAY_ANSWER.connected)
    socket.pipe(readable)
    return Duplex.from({ readable, writable: socket })
  }
  for (const [name, data] of Object.entries(secrets)) {
    cluster.api.put(`${SECRETS}/${name}`, secretOf(name, data))
  }
  return { cluster, context: cluster.driverContext() }
}

function secretOf(name: string, texts: Record<string, string>): KubeObject {
  const entries = Object.entries(texts).map(([key, value]) => [key, btoa(value)])
  const metadata = { name, namespace: PLACE.namespace }
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(entries) }
}

async function put(key: string): Promise<void> {
  const body = protobufMessage([
    [1, Buffer.from(key)],
    [2, Buffer.from('value')],
  ])
  await etcd.ask('KV/Put', body)
}

/** The names of the Secrets of the plane that have a text. */
function having({ api }: FakeCluster, wanted: string): string[] {
  return [...api.objects]
    .filter(
      ([path, object]) =>
        path.startsWith(`${SECRETS}/vplane-`) && JSON.stringify(object).includes(btoa(wanted)),
    )
    .map(([path]) => path.replace(`${SECRETS}/`, ''))
}

function fileOf({ api }: FakeCluster, key: string): string {
  const secret = api.objects.get(`${SECRETS}/vplane-dev-kube-apiserver`)
  return atob(String(Object(secret?.['data'])[key]))
}

async function namesOf(cluster: FakeCluster): Promise<{ prefix: string; user: string }> {
  const { id } = (await cluster.stored('dev')).record
  const own = `dev-${id.slice(0, 8)}`
  return { prefix: `/vplane/${own}`, user: `vplane-${own}` }
}

function asPlane(cluster: FakeCluster) {
  const credentials = {
    certificate: fileOf(cluster, 'shared-etcd_client.crt'),
    key: fileOf(cluster, 'shared-etcd_client.key'),
    certificateAuthority: fileOf(cluster, 'shared-etcd_authorities.pem'),
  }
  return sharedEtcdConnection(etcd.spec.endpoints, credentials, NEVER)
}

function text(file: string): string {
  return readFileSync(file, 'utf8')
}
