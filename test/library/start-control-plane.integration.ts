import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiException, CoreV1Api, RbacAuthorizationV1Api } from '@kubernetes/client-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kubeConfigOf } from '../../src/library/client-node.ts'
import { type ControlPlane, startControlPlane, type Webhooks } from '../../src/library/index.ts'
import { serveGreetingWebhooks } from './greeting-webhooks.ts'

const MANIFESTS = new URL('manifests/', import.meta.url)

const lines: string[] = []
let plane: ControlPlane & { readonly webhooks: Webhooks }
let namespace: string
let greetings: string

beforeAll(async () => {
  plane = await startControlPlane({
    timeoutMs: 300_000,
    crds: [
      new URL('crd/', MANIFESTS),
      { ...definition('notes'), metadata: { name: 'notes.example.com' } },
    ],
    webhooks: { paths: [new URL('webhook/', MANIFESTS)] },
    spec: { apiServer: { extraArgs: { v: '1' } } },
    log: (line) => lines.push(line),
  })
  namespace = await plane.createNamespace()
  greetings = `/apis/example.com/v1/namespaces/${namespace}/greetings`
})

afterAll(async () => {
  await plane.stop()
})

test('says where the plane is and how it comes along', () => {
  expect(plane.server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(plane.version).toMatch(/^1\.\d+\.\d+$/)
  expect(new X509Certificate(plane.certificateAuthority).ca).toBe(true)
  expect(lines.join('\n')).toContain(`Starting Kubernetes ${plane.version}`)
})

test('serves custom resources of files and of objects', async () => {
  const note = { apiVersion: 'example.com/v1', kind: 'Note', metadata: { name: 'kept' } }

  await plane.api.create(`/apis/example.com/v1/namespaces/${namespace}/notes`, note)

  const path = `/apis/example.com/v1/namespaces/${namespace}/notes/kept`
  expect(await plane.api.get(path)).toMatchObject(note)
})

test('makes namespaces in which everything is there at once', async () => {
  const names = await Promise.all(
    [{ prefix: 'left' }, { prefix: 'right' }, {}].map((options) => plane.createNamespace(options)),
  )

  expect(names.map((name) => name.split('-')[0])).toEqual(['left', 'right', 'test'])
  for (const name of names) {
    const account = await plane.api.get(`/api/v1/namespaces/${name}/serviceaccounts/default`)
    expect(account).toMatchObject({ kind: 'ServiceAccount' })
  }
})

test('gives a KubeConfig of the official client', async () => {
  const api = kubeConfigOf(plane).makeApiClient(CoreV1Api)

  const { items } = await api.listNamespace()

  expect(items.map(({ metadata }) => metadata?.name)).toContain(namespace)
})

test('adds users who may do what RBAC says, and nothing else', async () => {
  const jane = await plane.addUser({ name: 'jane', groups: ['readers'] })
  const api = kubeConfigOf(jane).makeApiClient(CoreV1Api)
  const rbac = kubeConfigOf(plane).makeApiClient(RbacAuthorizationV1Api)
  const listSecrets = () =>
    api.listNamespacedSecret({ namespace }).then(
      () => 200,
      (error: unknown) => (error instanceof ApiException ? error.code : error),
    )

  const before = await listSecrets()
  await rbac.createNamespacedRole({
    namespace,
    body: {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }],
    },
  })
  await rbac.createNamespacedRoleBinding({
    namespace,
    body: {
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
    },
  })

  expect(before).toBe(403)
  await expect.poll(listSecrets, { timeout: 60_000 }).toBe(200)
  await expect(api.listNamespace()).rejects.toMatchObject({ code: 403 })
})

test('adds users for as long as it is told', async () => {
  const jane = await plane.addUser({ name: 'jane', groups: ['a', 'b'], lifetimeMs: 600_000 })

  const certificate = new X509Certificate(jane.certificate)
  const minutesLeft = (jane.expiresAt.getTime() - Date.now()) / 60_000
  expect(certificate.subject).toBe('O=a\nO=b\nCN=jane')
  expect(certificate.validToDate).toEqual(jane.expiresAt)
  expect(minutesLeft).toBeGreaterThan(9)
  expect(minutesLeft).toBeLessThanOrEqual(10)
})

test('refuses a user without a name', async () => {
  await expect(plane.addUser({ name: '' })).rejects.toMatchObject({ code: 'USAGE' })
})

test.for(['etcd', 'kube-apiserver', 'kube-controller-manager'] as const)(
  'shows the log of %s',
  async (component) => {
    const last = await plane.logs(component, { tail: 1 })
    const all = await plane.logs(component)

    expect(last).toMatch(/^.+\n$/)
    expect(all.split('\n')).toContain(last.trimEnd())
  },
)

test('refuses what the webhooks of the test refuse, and changes what they change', async () => {
  await using served = await serveGreetingWebhooks(plane.webhooks)
  await plane.webhooks.waitUntilServed()

  const rude = await plane.api
    .create(greetings, greeting('rude', { text: 'go away' }))
    .catch((error: unknown) => error)
  const kind = await plane.api.create(greetings, greeting('kind', { text: 'welcome' }))
  const empty = await plane.api.create(greetings, greeting('empty'))

  expect(rude).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('greetings are to be kind'),
  })
  expect(kind).toMatchObject({ spec: { text: 'welcome' } })
  expect(empty).toMatchObject({ spec: { text: 'hello there' } })
  expect([...served.paths]).toEqual(expect.arrayContaining(['/mutate', '/validate']))
})

test('converts custom resources by the webhooks of the test', async () => {
  await using served = await serveGreetingWebhooks(plane.webhooks)
  await plane.api.create(greetings, greeting('converted', { text: 'good old day' }))

  const old = await plane.api.get(`${greetings.replace('/v1/', '/v1alpha1/')}/converted`)

  expect(old).toMatchObject({
    apiVersion: 'example.com/v1alpha1',
    spec: { words: ['good', 'old', 'day'] },
  })
  expect(served.paths).toContain('/convert')
})

test('fails what webhooks are to admit while nobody serves them', async () => {
  const creating = plane.api.create(greetings, greeting('early', { text: 'anybody there' }))

  const why = /webhook.*(connection refused|connection reset|broken pipe|EOF)/
  await expect(creating).rejects.toThrow(why)
})

test('says so when nobody serves the webhooks in time', async () => {
  const waiting = plane.webhooks.waitUntilServed({ timeoutMs: 100 })

  await expect(waiting).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test('writes a kubeconfig file that is removed with the plane', async () => {
  await using other = await startControlPlane({ timeoutMs: 300_000 })

  const path = await other.writeKubeconfig()

  expect(readFileSync(path, 'utf8')).toBe(other.kubeconfig)
  await other.stop()
  expect(existsSync(path)).toBe(false)
})

test('stays away from the kubeconfig and the planes of the user', () => {
  const home = process.env['HOME'] ?? ''

  expect(plane.kubeconfig).toContain(`current-context: "vplane_${plane.name}"`)
  expect(existsSync(join(home, '.local/share/vplane/planes', plane.name))).toBe(false)
  const processes = execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' })
  expect(processes).toMatch(new RegExp(`vplane-\\d+/planes/${plane.name}/`))
})

function greeting(name: string, spec?: object) {
  const object = { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: { name } }
  return spec === undefined ? object : { ...object, spec }
}

function definition(plural: string) {
  const schema = { openAPIV3Schema: { type: 'object' } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind: 'Note' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}
