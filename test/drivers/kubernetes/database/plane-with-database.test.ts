import { expect, test } from 'vitest'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type FakeCluster, requestFor } from '../fake-cluster.ts'
import {
  DATABASE_SPEC as SPEC,
  databaseHost as hosted,
  OWNER,
  OWNER_PATH,
  RELAY,
  secretOf,
} from './database-host.ts'

type Hosted = ReturnType<typeof hosted>

const PLACE = { name: 'dev', namespace: 'team-a' }
test('makes the database with the account of the owner, before any pod of the plane', async () => {
  const { cluster, created, server } = await made()
  const [facts] = server.ensured

  expect(facts).toMatchObject({ host: 'db.test', port: 5432, kind: 'postgres' })
  expect(server.accounts).toEqual([{ user: 'root', password: 'hush-owner', ca: 'the CA' }])
  expect(created[0]).toBe(RELAY)
  expect(cluster.pods()).toEqual([
    'vplane-dev-kine-0',
    'vplane-dev-kube-apiserver-0',
    'vplane-dev-kube-controller-manager-0',
  ])
})

test('gives kine the password of its role alone, and no pod that of the owner', async () => {
  const { cluster, server } = await made()
  const [{ password } = { password: '' }] = server.ensured
  const having = (text: string) =>
    [...cluster.api.objects]
      .filter(([path, object]) => path !== OWNER_PATH && plainText(object).includes(text))
      .map(([path]) => path.replace('/api/v1/namespaces/team-a/', ''))

  expect(having('hush-owner')).toEqual([])
  expect(having(password).toSorted()).toEqual(['secrets/vplane-dev-ca', 'secrets/vplane-dev-kine'])
})

test('stays paused when its database has lost its data', async () => {
  const { cluster, context, server } = await made()
  await cluster.changeRecord('dev', { hasData: true })
  await pausePlane(context, await cluster.stored('dev'), cluster.operation())
  server.rows = false

  const refused = startPlane(context, await cluster.stored('dev'), cluster.operation())

  expect((await rejectionOf(refused)).message).toMatch(
    /^the data of "dev" is missing: .* is empty$/,
  )
  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(cluster.pods()).toEqual([])
})

test('starts with the CAs that the owner has now, and without the Secret of the owner', async () => {
  const { cluster, context } = await made()
  await cluster.changeRecord('dev', { hasData: true })
  await pausePlane(context, await cluster.stored('dev'), cluster.operation())
  cluster.api.put(OWNER_PATH, secretOf({ ...OWNER, 'ca.crt': 'a newer CA' }))
  await startPlane(context, await cluster.stored('dev'), cluster.operation())
  const started = authorities(cluster)

  await pausePlane(context, await cluster.stored('dev'), cluster.operation())
  cluster.api.remove(OWNER_PATH)
  await startPlane(context, await cluster.stored('dev'), cluster.operation())

  expect([started, authorities(cluster)]).toEqual(['a newer CA', 'a newer CA'])
  expect(cluster.pods()).toHaveLength(3)
})

test('continues a creation with the CA that the owner has corrected', async () => {
  const { cluster, context, server } = hosted({ ...OWNER, 'ca.crt': 'a wrong CA' })
  const create = () =>
    createPlane(context, requestFor('dev', { userSpec: SPEC }), cluster.operation())
  server.isDown = true
  await rejectionOf(create())
  const first = authorities(cluster)
  cluster.api.put(OWNER_PATH, secretOf({ ...OWNER, 'ca.crt': 'the right CA' }))
  server.isDown = false

  await create()

  expect([first, authorities(cluster)]).toEqual(['a wrong CA', 'the right CA'])
  expect(cluster.pods()).toHaveLength(3)
})

test('deletes the database before its objects, when kine has ended', async () => {
  const { cluster, context, server } = await made()
  let atDrop: string[] = []
  server.onDrop = () => {
    atDrop = cluster.remains()
  }

  await removePlane(context, PLACE, { ...cluster.operation(), keepData: false })

  expect(server.dropped).toEqual(server.ensured)
  expect(atDrop).not.toContain('pods/vplane-dev-kine-0')
  expect(atDrop).toContain('secrets/vplane-dev-ca')
  expect(cluster.remains()).toEqual(['secrets/owner'])
})

test('tells of a database that it leaves, because another has made it', async () => {
  const { cluster, context, server } = await made()
  const [facts] = server.ensured
  server.hasForeign = true

  const left = await removePlane(context, PLACE, { ...cluster.operation(), keepData: false })

  expect(left).toEqual([
    {
      what: `the database "${facts?.database}" at db.test:5432`,
      why: 'it does not have the mark of this plane',
      isKept: true,
    },
  ])
})

test('leaves everything as it is when the server cannot be reached, unless the database is to be left', async () => {
  const { cluster, context, server } = await made()
  const before = cluster.remains()
  server.isDown = true

  const options = { ...cluster.operation(), keepData: false }
  const error = await rejectionOf(removePlane(context, PLACE, options))
  const after = cluster.remains()
  const left = await removePlane(context, PLACE, { ...options, leaveData: true })

  expect(error).toMatchObject({ code: 'UNREACHABLE' })
  expect(error.message).toContain('"dev" was not deleted: ')
  expect(error.hints).toContain(
    'or delete it without its database: vplane delete dev --namespace team-a --leave-data',
  )
  expect(after.filter((path) => !path.startsWith('leases/'))).toEqual(before)
  expect(left).toMatchObject([{ why: 'its data is left', isKept: true }])
  expect(cluster.remains()).toEqual(['secrets/owner'])
})

test.for([
  ['whose record cannot be read', (cluster: FakeCluster) => cluster.damageRecord('dev')],
  [
    'whose server refuses to delete the database',
    (_: FakeCluster, server: Hosted['server']) => {
      server.onDrop = () => {
        throw new VplaneError('FAILED', 'permission denied')
      }
    },
  ],
] as const)('keeps what tells of the database of a plane %s', async ([, become]) => {
  const { cluster, context, server } = await made()
  await become(cluster, server)

  const options = { ...cluster.operation(), keepData: false }
  const error = await rejectionOf(removePlane(context, PLACE, options))
  const after = cluster.remains()
  const left = await removePlane(context, PLACE, { ...options, leaveData: true })

  expect(error.message).toContain('"dev" was not deleted: ')
  expect(error.hints).toContain(
    'or delete it without its database: vplane delete dev --namespace team-a --leave-data',
  )
  expect(after).toContain('secrets/vplane-dev-ca')
  expect(left).toMatchObject([{ why: 'its data is left', isKept: true }])
  expect(cluster.remains()).toEqual(['secrets/owner'])
})

test('tells that it cannot know the database of a plane whose keys are lost', async () => {
  const { cluster, context, server } = await made()
  cluster.api.remove('/api/v1/namespaces/team-a/secrets/vplane-dev-ca')

  const left = await removePlane(context, PLACE, { ...cluster.operation(), keepData: false })

  expect(left).toEqual([
    {
      what: 'its database at db.test',
      why: 'the Secret that names it is missing',
      isKept: true,
    },
  ])
  expect(server.dropped).toEqual([])
})

test.for([
  [undefined, 'does not exist'],
  [{ username: 'root', password: 'hush-owner' }, 'lacks ca.crt'],
  [{ 'ca.crt': 'the CA', password: '' }, 'lacks username, password'],
  [{ ...OWNER, password: 'hush-owner\n' }, 'has a line break at the end of password'],
] as const)('creates nothing with the Secret %j of the owner', async ([data, reason]) => {
  const { cluster, context } = hosted(data)
  const before = cluster.remains()
  const request = requestFor('dev', { userSpec: SPEC })

  const error = await rejectionOf(createPlane(context, request, cluster.operation()))

  expect(error.message).toBe(
    `cannot read the credentials for the database: Secret "owner" in namespace "team-a" ${reason}`,
  )
  expect(cluster.remains()).toEqual(before)
})

async function made() {
  const { cluster, context, created, server } = hosted(OWNER)
  await createPlane(context, requestFor('dev', { userSpec: SPEC }), cluster.operation())
  return { cluster, context, created, server }
}

/** An object with the data of a Secret as text. */
function plainText({ data, ...object }: KubeObject): string {
  const values = Object.values(Object(data)).map((value) => atobOr(String(value)))
  return JSON.stringify(object) + values.join('\n')
}

function atobOr(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8') + value
}

function authorities({ api }: FakeCluster): string {
  const secret = api.objects.get('/api/v1/namespaces/team-a/secrets/vplane-dev-kine')
  return atob(String(Object(secret?.['data'])['database_authorities.pem']))
}
