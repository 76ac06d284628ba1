import { text } from 'node:stream/consumers'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Patience } from '../../../src/kube/connection.ts'
import type { LoadedCredentials } from '../../../src/kube/host/open-host-cluster.ts'
import { openHostCluster, renewingCredentials } from '../../../src/kube/host/open-host-cluster.ts'
import { isLoginNeeded, loginNeeded } from '../../../src/kube/kube-error.ts'
import type { FakeApiServer } from '../../support/api/fake-api-server.ts'
import { sendJson, sendStatus, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { startForwards } from '../../support/api/fake-forwards.ts'
import { endsWithTest } from '../../support/ends-with-test.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { base64, type Folder, kubeconfig, makeFolder } from './kubeconfigs.ts'

const PATH = '/api/v1/pods/a'
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }

test('opens the cluster of the context', async () => {
  await using folder = await makeFolder()
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  const context = { namespace: 'team' }
  await using host = await open(folder, server, { context, user: certificateOf(server) })

  const place = { context: 'prod', namespace: 'team', server: server.connection.server }
  expect(host).toMatchObject(place)
  expect(await host.api.get(PATH)).toEqual(POD)
  expect(server.requests[0]).toMatchObject({ user: 'tester' })
})

test('reads the certificate authority and credentials from files', async () => {
  await using folder = await makeFolder()
  await using server = await startFakeApiServer((_, response) => sendJson(response, POD))
  const { certificate, certificateAuthority, key } = server.connection
  await folder.write('ca.crt', certificateAuthority)
  await folder.write('client.crt', certificate)
  await folder.write('client.key', key)
  const config = kubeconfig({
    cluster: { server: server.connection.server, 'certificate-authority': 'ca.crt' },
    user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' },
  })
  const files = [await folder.write('config', config)]
  await using host = await openHostCluster({ files, environment: {} })

  await host.api.get(PATH)

  expect(server.requests[0]?.user).toBe('tester')
})

test('continues when the token in a file was changed', async () => {
  const { folder, server } = await accepting('Bearer new')
  await folder.write('token', 'old')
  await using host = await open(folder, server, { user: { tokenFile: 'token' } })
  await expect(host.api.get(PATH)).rejects.toThrow('login to the host cluster')

  await folder.write('token', 'new')

  expect(await host.api.get(PATH)).toEqual(POD)
})

test('continues when a login wrote a new token into the kubeconfig', async () => {
  const { folder, server } = await accepting('Bearer new')
  await using host = await open(folder, server, { user: { token: 'old' } })
  await expect(host.api.get(PATH)).rejects.toThrow('login to the host cluster')

  await (await open(folder, server, { user: { token: 'new' } }))[Symbol.asyncDispose]()

  expect(await host.api.get(PATH)).toEqual(POD)
  expect(shownTo(server)).toEqual(['Bearer old', 'Bearer old', 'Bearer new'])
})

test('never sends the credentials of another context or server', async () => {
  const { folder, server } = await accepting('Bearer other')
  await using host = await open(folder, server, { user: { token: 'own' } })
  const config = kubeconfig({ cluster: clusterOf(server), user: { token: 'own' } })
  const other = {
    'current-context': 'other',
    contexts: [{ name: 'other', context: { cluster: 'c', user: 'other' } }],
    users: [{ name: 'other', user: { token: 'other' } }],
  }
  const moved = kubeconfig({ cluster: { server: 'https://elsewhere' }, user: { token: 'other' } })

  for (const now of [merged(other, config), moved]) {
    await folder.write('config', now)
    await expect(host.api.get(PATH)).rejects.toThrow('login to the host cluster')
  }

  expect(new Set(shownTo(server))).toEqual(new Set(['Bearer own']))
})

test('asks the plugin once more when the server refuses its token', async () => {
  const { folder, server } = await accepting('Bearer token-2')
  await using host = await open(folder, server, { user: { exec: await counting(folder) } })

  await Promise.all(Array.from({ length: 20 }, () => host.api.create('/api/v1/pods', POD)))

  expect(new Set(shownTo(server))).toEqual(new Set(['Bearer token-1', 'Bearer token-2']))
})

test('names the server and the user when a new login does not help', async () => {
  const { folder, server } = await accepting('Bearer other')
  await using host = await open(folder, server, { user: { exec: await counting(folder) } })

  const error = await rejectionOf(host.api.get(PATH))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: 'login to the host cluster "prod" is needed: it refused the credentials of user "u"',
    hints: ['kubectl --context prod get --raw /version'],
  })
  expect(isLoginNeeded(error)).toBe(true)
  expect(server.requests).toHaveLength(2)
})

test('reports that a server requires credentials', async () => {
  const { folder, server } = await accepting('Bearer other')
  await using host = await open(folder, server, { context: { user: '' } })

  const message = 'login to the host cluster "prod" is needed: it requires credentials'
  await expect(host.api.get(PATH)).rejects.toThrow(message)
})

test('ends a watch when a login is needed, with an error', async () => {
  const { folder, server } = await accepting('Bearer other')
  const exec = { ...(await counting(folder)), command: join(folder.path, 'none') }
  const patience = { watchRetryMs: 1, maxWatchRetryMs: 1 }
  await using host = await open(folder, server, { user: { exec }, patience })
  const { signal } = new AbortController()

  const events = Array.fromAsync(host.api.watch('/api/v1/pods', { signal }))

  await expect(events).rejects.toThrow('login to the host cluster "prod" is needed')
})

test('impersonates another user', async () => {
  const { folder, server } = await accepting('Bearer abc')
  const user = { token: 'abc', as: 'ci', 'as-groups': ['dev', 'ops'] }
  await using host = await open(folder, server, { user })

  await host.api.get(PATH)

  const impersonation = { 'impersonate-user': 'ci', 'impersonate-group': 'dev, ops' }
  expect(server.requests[0]?.headers).toMatchObject(impersonation)
})

test('forwards with the credentials of requests, until it is disposed', async () => {
  await using folder = await makeFolder()
  await using server = await startForwards()
  await using host = await open(folder, server, { user: certificateOf(server) })
  const { signal } = new AbortController()
  const stream = await host.forward({ namespace: 'team', pod: 'api-1', port: 6443 }, { signal })
  const ended = text(stream).catch((error: unknown) => error)

  await host[Symbol.asyncDispose]()

  expect(await ended).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' })
  await server.openConnections(0)
})

test('connects to nothing and runs nothing before it is used', async () => {
  const { folder, server } = await accepting('Bearer abc')
  await using host = await open(folder, server, { user: { exec: await counting(folder) } })

  expect(host.context).toBe('prod')
  expect(server.connections()).toBe(0)
  await expect(rm(join(folder.path, 'runs'))).rejects.toThrow('ENOENT')
})

test('finds no kubeconfig', async () => {
  const open = openHostCluster({ files: ['/none/a', '/none/b'], environment: {} })

  await expect(open).rejects.toMatchObject({
    code: 'USAGE',
    message: 'there is no kubeconfig: "/none/a" and "/none/b" do not exist',
    hints: expect.arrayContaining(['export KUBECONFIG=FILE']),
  })
})

test('finds no context of the name', async () => {
  await using folder = await makeFolder()
  const files = [await folder.write('config', kubeconfig({}))]

  const open = openHostCluster({ files, context: 'pro', environment: {} })

  await expect(open).rejects.toMatchObject({
    code: 'USAGE',
    hints: ['did you mean "prod"?', expect.any(String)],
  })
})

test('keeps its credentials as long as the kubeconfig is the same', async () => {
  const loaded = credentials('a', { isRenewed: false })
  const source = renewingCredentials(loaded, () => Promise.resolve(credentials('a')))

  expect(await source.renew(await source.current())).toBe(false)
  expect(await source.current()).toBe(await loaded.source.current())
})

test('lets its credentials renew themselves', async () => {
  const loaded = credentials('a', { isRenewed: true })
  const source = renewingCredentials(loaded, () => Promise.resolve(credentials('a')))

  expect(await source.renew({})).toBe(true)
})

test('uses those of the new kubeconfig, also for the error', async () => {
  const source = renewingCredentials(credentials('a'), () => Promise.resolve(credentials('b')))
  const refusal = loginNeeded('no')

  expect(source.denial(refusal).message).toBe('a: no')
  expect(await source.renew(await source.current())).toBe(true)
  expect(await source.current()).toEqual({ authorization: 'Bearer b' })
  expect(source.denial(refusal).message).toBe('b: no')
})

test('uses no credentials of another server', async () => {
  const source = renewingCredentials(credentials('a'), () => Promise.resolve(undefined))

  expect(await source.renew({})).toBe(false)
  expect(await source.current()).toEqual({ authorization: 'Bearer a' })
})

test('fails as the kubeconfig does when it can no longer be read', async () => {
  const source = renewingCredentials(credentials('a'), () => Promise.reject(new Error('no YAML')))

  await expect(source.renew({})).rejects.toThrow('no YAML')
  expect(await source.current()).toEqual({ authorization: 'Bearer a' })
})

/** Two kubeconfigs as one; the first wins. */
function merged(one: Record<string, unknown>, other: Record<string, unknown>): object {
  const lists = ['contexts', 'clusters', 'users'].map((list) => [
    list,
    [one[list] ?? [], other[list] ?? []].flat(),
  ])
  return { ...other, ...one, ...Object.fromEntries(lists) }
}

/** The host cluster of a kubeconfig that leads to a fake API server. */
async function open(
  folder: Folder,
  server: FakeApiServer,
  fields: { context?: object; user?: object; patience?: Partial<Patience> },
) {
  const { context = {}, patience = {}, user = {} } = fields
  const cluster = clusterOf(server)
  const files = [await folder.write('config', kubeconfig({ cluster, context, user }))]
  return openHostCluster({ files, environment: process.env, patience })
}

function clusterOf({ connection }: FakeApiServer): object {
  return {
    server: connection.server,
    'certificate-authority-data': base64(connection.certificateAuthority),
  }
}

function certificateOf({ connection }: FakeApiServer): object {
  return {
    'client-certificate-data': base64(connection.certificate),
    'client-key-data': base64(connection.key),
  }
}

/** The credentials that a server was shown, one after the other. */
function shownTo({ requests }: FakeApiServer): Array<string | undefined> {
  return requests.map(({ headers }) => headers.authorization)
}

/** An API server that knows one credential, and a folder for a kubeconfig, which end with the test. */
async function accepting(
  authorization: string,
): Promise<{ folder: Folder; server: FakeApiServer }> {
  const folder = endsWithTest(await makeFolder())
  const server = await startFakeApiServer(
    ({ headers }, response) =>
      headers.authorization === authorization
        ? sendJson(response, POD)
        : sendStatus(response, 401, { message: 'Unauthorized' }),
    { wantsCertificate: false },
  )
  return { folder, server: endsWithTest(server) }
}

/** A plugin whose tokens have the number of its run. */
async function counting(folder: Folder): Promise<object> {
  const runs = join(folder.path, 'runs')
  const apiVersion = 'client.authentication.k8s.io/v1'
  const status = `{"token": "token-'$(wc -l < ${runs} | tr -d ' ')'"}`
  const answer = `{"kind": "ExecCredential", "apiVersion": "${apiVersion}", "status": ${status}}`
  const command = await folder.write('plugin', `#!/bin/sh\necho run >> ${runs}; echo '${answer}'\n`)
  return { apiVersion, command, interactiveMode: 'Never' }
}

function credentials(text: string, { isRenewed = false } = {}): LoadedCredentials {
  const credential = { authorization: `Bearer ${text}` }
  return {
    text,
    source: {
      current: () => Promise.resolve(credential),
      renew: () => Promise.resolve(isRenewed),
      denial: ({ message }) => loginNeeded(`${text}: ${message}`),
    },
  }
}
