import { CoreV1Api, CustomObjectsApi, type KubeConfig } from '@kubernetes/client-node'
import { expect } from 'vitest'
import { type Greeting, GROUP, PLURAL, VERSION } from '../src/greeting.ts'
import { test } from './controller-test.ts'

const RESOURCE = { group: GROUP, version: VERSION, plural: PLURAL }
const SOON = { timeout: 60_000, interval: 50 }

test('keeps a ConfigMap for a greeting and says so', async ({ admin, failures, namespace }) => {
  await greet(admin, { namespace, name: 'world', whom: 'world' })

  await expect.poll(() => textOf(admin, namespace, 'world'), SOON).toBe('Hello, world!')
  await expect.poll(() => isReady(admin, namespace, 'world'), SOON).toBe(true)
  expect(failures).toEqual([])
})

test('makes a ConfigMap again that someone removed', async ({ admin, namespace }) => {
  await greet(admin, { namespace, name: 'stubborn', whom: 'you' })
  await expect.poll(() => textOf(admin, namespace, 'stubborn'), SOON).toBe('Hello, you!')

  await admin.makeApiClient(CoreV1Api).deleteNamespacedConfigMap({ namespace, name: 'stubborn' })

  await expect.poll(() => textOf(admin, namespace, 'stubborn'), SOON).toBe('Hello, you!')
})

test('gives the ConfigMap to its greeting, to go with it', async ({ admin, namespace }) => {
  await greet(admin, { namespace, name: 'owner', whom: 'owner' })
  await expect.poll(() => textOf(admin, namespace, 'owner'), SOON).toBe('Hello, owner!')

  const api = admin.makeApiClient(CoreV1Api)
  const { metadata } = await api.readNamespacedConfigMap({ namespace, name: 'owner' })

  expect(metadata?.ownerReferences).toMatchObject([{ kind: 'Greeting', name: 'owner' }])
})

test('is spared greetings of nobody: the API refuses them', async ({ admin, namespace }) => {
  const greeting = greet(admin, { namespace, name: 'empty', whom: '' })

  await expect(greeting).rejects.toMatchObject({ code: 422 })
})

async function greet(
  admin: KubeConfig,
  { name, namespace, whom }: { namespace: string; name: string; whom: string },
): Promise<void> {
  await admin.makeApiClient(CustomObjectsApi).createNamespacedCustomObject({
    ...RESOURCE,
    namespace,
    body: {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: 'Greeting',
      metadata: { name },
      spec: { whom },
    },
  })
}

async function textOf(
  admin: KubeConfig,
  namespace: string,
  name: string,
): Promise<string | undefined> {
  const { items } = await admin.makeApiClient(CoreV1Api).listNamespacedConfigMap({ namespace })
  return items.find(({ metadata }) => metadata?.name === name)?.data?.['text']
}

async function isReady(
  admin: KubeConfig,
  namespace: string,
  name: string,
): Promise<boolean | undefined> {
  const api = admin.makeApiClient(CustomObjectsApi)
  const greeting: Greeting = await api.getNamespacedCustomObject({ ...RESOURCE, namespace, name })
  return greeting.status?.ready
}
